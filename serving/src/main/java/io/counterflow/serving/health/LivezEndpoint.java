package io.counterflow.serving.health;

import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;

/** {@code GET /livez}: whether the process answers at all. */
public final class LivezEndpoint implements Endpoint {

    private static final Route ROUTE = Route.open("/livez");

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return Future.succeededFuture(Reply.text(200, "text/plain", "alive\n"));
    }
}
