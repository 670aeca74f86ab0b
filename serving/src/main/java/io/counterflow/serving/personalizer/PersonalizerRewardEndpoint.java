package io.counterflow.serving.personalizer;

import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.counterflow.serving.reward.FeedbackService;
import io.vertx.core.Future;
import java.util.Optional;

/** {@code POST /personalizer/v1.0/events/{eventId}/reward} with {@code {"value": 1}}. */
public final class PersonalizerRewardEndpoint implements Endpoint {

    private static final Route ROUTE =
            Route.post("/personalizer/v1.0/events/{eventId}/reward", Scope.REWARD);

    private final FeedbackService service;
    private final String loop;

    public PersonalizerRewardEndpoint(FeedbackService service, String loop) {
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
        double[] value = {Double.NaN};
        JsonFields.read(
                call.body(),
                (name, json) -> {
                    if (name.equals("value")) {
                        value[0] = json.number(name);
                        return true;
                    }
                    return false;
                });
        if (Double.isNaN(value[0])) {
            throw new InvalidJsonException("value", "must be given");
        }
        return service.reward(
                        loop,
                        call.path("eventId"),
                        new FeedbackService.Reward(value[0], Optional.empty(), Optional.empty()))
                .map(rewardId -> Reply.empty(204));
    }
}
