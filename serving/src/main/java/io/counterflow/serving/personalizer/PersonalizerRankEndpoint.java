package io.counterflow.serving.personalizer;

import io.counterflow.client.rank.Ranking;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.counterflow.serving.rank.RankService;
import io.vertx.core.Future;

/** {@code POST /personalizer/v1.0/rank}: a decision of the loop that stands for the service. */
public final class PersonalizerRankEndpoint implements Endpoint {

    private static final Route ROUTE = Route.post("/personalizer/v1.0/rank", Scope.RANK);

    private static final String LOGGED = "counterflow-logged";

    private final RankService service;
    private final String loop;

    public PersonalizerRankEndpoint(RankService service, String loop) {
        this.service = service;
        this.loop = loop;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    /**
     * Answers 201, as that service did. Its answer has no room for a mark, so that a decision that
     * could not be logged is told by a header.
     */
    @Override
    public Future<Reply> handle(Call call) {
        return service.rank(loop, PersonalizerRequestJson.read(call.body()))
                .map(
                        answer ->
                                mark(
                                        answer.logged(),
                                        Reply.json(
                                                201,
                                                json -> {
                                                    json.writeStartObject();
                                                    Ranking.write(answer.ranked(), json);
                                                    json.writeStringField(
                                                            "eventId",
                                                            answer.ranked().impression().eventId());
                                                    json.writeStringField(
                                                            "rewardActionId",
                                                            answer.ranked().actionId());
                                                    json.writeEndObject();
                                                })));
    }

    private static Reply mark(boolean logged, Reply reply) {
        return logged ? reply : reply.with(LOGGED, "false");
    }
}
