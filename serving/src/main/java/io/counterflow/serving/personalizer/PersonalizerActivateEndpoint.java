package io.counterflow.serving.personalizer;

import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.counterflow.serving.reward.FeedbackService;
import io.vertx.core.Future;

/** {@code POST /personalizer/v1.0/events/{eventId}/activate}. */
public final class PersonalizerActivateEndpoint implements Endpoint {

    private static final Route ROUTE =
            Route.post("/personalizer/v1.0/events/{eventId}/activate", Scope.REWARD);

    private final FeedbackService service;
    private final String loop;

    public PersonalizerActivateEndpoint(FeedbackService service, String loop) {
        this.service = service;
        this.loop = loop;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    /** Answers 204, as that service did. */
    @Override
    public Future<Reply> handle(Call call) {
        return service.activate(loop, call.path("eventId")).map(done -> Reply.empty(204));
    }
}
