package io.counterflow.serving.rank;

import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import java.util.List;

/**
 * {@code POST /v1/loops/{loop}/rank} chooses an action, {@code POST /v1/loops/{loop}/rank-slots}
 * one for each slot of a page. Both log the impressions.
 */
public final class RankEndpoints {

    private final RankService service;

    public RankEndpoints(RankService service) {
        this.service = service;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/v1/loops/{loop}/rank", Scope.RANK, this::rank),
                Endpoint.post("/v1/loops/{loop}/rank-slots", Scope.RANK, this::rankSlots));
    }

    private Future<Reply> rank(Call call) {
        RankRequest request = RankRequestJson.read(call.body());
        return service.rank(call.path("loop"), request, AnswerJson::reply);
    }

    private Future<Reply> rankSlots(Call call) {
        SlotsRequest request = RankRequestJson.readSlots(call.body());
        return service.rank(
                call.path("loop"),
                request,
                (eventId, answers) -> AnswerJson.reply(eventId, request.slots(), answers));
    }
}
