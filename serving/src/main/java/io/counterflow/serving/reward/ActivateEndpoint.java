package io.counterflow.serving.reward;

import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;

/** {@code POST /v1/loops/{loop}/events/{eventId}/activate}: a deferred event was really shown. */
public final class ActivateEndpoint implements Endpoint {

    private static final Route ROUTE =
            Route.post("/v1/loops/{loop}/events/{eventId}/activate", Scope.REWARD);

    private final FeedbackService service;

    public ActivateEndpoint(FeedbackService service) {
        this.service = service;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return service.activate(call.path("loop"), call.path("eventId"))
                .map(done -> Reply.empty(202));
    }
}
