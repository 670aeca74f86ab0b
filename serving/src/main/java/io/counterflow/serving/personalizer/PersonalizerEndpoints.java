package io.counterflow.serving.personalizer;

import io.counterflow.client.rank.Ranking;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.rank.RankService;
import io.counterflow.serving.reward.FeedbackService;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * Calls with the requests and replies of Azure Personalizer. They use its status codes: 201 for a
 * decision, 204 for feedback.
 */
public final class PersonalizerEndpoints {

    /** Marks a decision that is not logged, because the reply has no field for it. */
    static final String LOGGED = "counterflow-logged";

    private final RankService ranks;
    private final FeedbackService feedback;
    private final LoopOfCall loops;

    public PersonalizerEndpoints(RankService ranks, FeedbackService feedback, LoopOfCall loops) {
        this.ranks = ranks;
        this.feedback = feedback;
        this.loops = loops;
    }

    public List<Endpoint> endpoints() {
        String event = LoopOfCall.PREFIX + "/events/{eventId}";
        return List.of(
                Endpoint.post(LoopOfCall.PREFIX + "/rank", Scope.RANK, this::rank),
                Endpoint.post(event + "/reward", Scope.REWARD, this::reward),
                Endpoint.post(event + "/activate", Scope.REWARD, this::activate));
    }

    private Future<Reply> rank(Call call) {
        return ranks.rank(
                loops.of(call),
                PersonalizerRequestJson.read(call.body()),
                answer -> answer.logged() ? reply(answer) : reply(answer).with(LOGGED, "false"));
    }

    private static Reply reply(RankService.Answer answer) {
        StringBuilder json = new StringBuilder(1_024).append("{\"ranking\":");
        Ranking.append(answer.ranked(), json);
        json.append(",\"eventId\":");
        JsonText.append(answer.ranked().impression().eventId(), json);
        json.append(",\"rewardActionId\":");
        JsonText.append(answer.ranked().actionId(), json);
        return Reply.text(201, Reply.JSON, json.append('}').toString());
    }

    /** Reads {@code {"value": 1}}. */
    private Future<Reply> reward(Call call) {
        String loop = loops.of(call); // before the body, so that a token of another loop is refused
        double[] value = {Double.NaN};
        JsonFields.read(
                call.body(),
                (name, json) -> {
                    if (!name.equals("value")) {
                        throw JsonFields.unknown(name);
                    }
                    value[0] = json.number(name);
                });
        if (Double.isNaN(value[0])) {
            throw new InvalidJsonException("value", "must be given");
        }
        FeedbackService.Reward reward =
                new FeedbackService.Reward(
                        value[0], Optional.empty(), Optional.empty(), RewardMetric.REWARD);
        return feedback.reward(loop, call.path("eventId"), reward)
                .map(rewardId -> Reply.empty(204));
    }

    private Future<Reply> activate(Call call) {
        return feedback.activate(loops.of(call), call.path("eventId"))
                .map(done -> Reply.empty(204));
    }
}
