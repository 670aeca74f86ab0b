package io.counterflow.serving.dashboard;

import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;

/** {@code GET /}: the dashboard. The page is open; what it shows needs a token where calls do. */
public final class DashboardPageEndpoint implements Endpoint {

    private static final Route ROUTE = Route.open("/");

    private final DashboardFile page = DashboardFile.read("index.html");

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return Future.succeededFuture(page.reply());
    }
}
