package io.counterflow.serving.rank;

import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;

/** {@code POST /v1/loops/{loop}/rank}: chooses an action and logs the impression. */
public final class RankEndpoint {

    private final RankService service;

    public RankEndpoint(RankService service) {
        this.service = service;
    }

    public Endpoint endpoint() {
        return Endpoint.post("/v1/loops/{loop}/rank", Scope.RANK, this::handle);
    }

    private Future<Reply> handle(Call call) {
        RankRequest request = RankRequestJson.read(call.body());
        return service.rank(call.path("loop"), request, RankEndpoint::reply);
    }

    private static Reply reply(RankService.Answer answer) {
        RankedDecision ranked = answer.ranked();
        StringBuilder json = new StringBuilder(1_024);
        json.append("{\"eventId\":");
        JsonText.append(ranked.impression().eventId(), json);
        json.append(",\"loop\":");
        JsonText.append(ranked.impression().loop(), json);
        json.append(",\"policyVersion\":").append(ranked.impression().policyVersion());
        json.append(",\"action\":").append(ranked.decision().action());
        json.append(",\"actionId\":");
        JsonText.append(ranked.actionId(), json);
        json.append(",\"propensity\":");
        JsonText.append(ranked.decision().propensity(), json);
        json.append(",\"propensityKind\":");
        JsonText.append(JsonName.of(ranked.decision().kind()), json);
        json.append(",\"logged\":").append(answer.logged()).append(",\"ranking\":");
        Ranking.append(ranked, json);
        return Reply.text(200, Reply.JSON, json.append('}').toString());
    }
}
