package io.counterflow.serving.dashboard;

import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** {@code GET /dashboard/{file}}: scripts, styles and pictures of the dashboard. */
public final class DashboardFileEndpoint implements Endpoint {

    private static final Route ROUTE = Route.open("/dashboard/{file}");

    /** Named one by one: no path leads anywhere else. */
    static final List<String> FILES =
            List.of(
                    "app.js",
                    "charts.js",
                    "format.js",
                    "pipeline.js",
                    "server.js",
                    "versions.js",
                    "views.js",
                    "style.css",
                    "icon.svg");

    private final Map<String, DashboardFile> files =
            FILES.stream().collect(Collectors.toMap(Function.identity(), DashboardFile::read));

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        DashboardFile file = files.get(call.path("file"));
        if (file == null) {
            throw Problem.of(404, "not-found", "there is nothing at this path").asException();
        }
        return Future.succeededFuture(file.reply());
    }
}
