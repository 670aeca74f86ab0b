package io.counterflow.serving.rank;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.text.JsonName;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import java.io.IOException;

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
        return service.rank(
                call.path("loop"), request, answer -> Reply.json(200, json -> write(answer, json)));
    }

    private static void write(RankService.Answer answer, JsonGenerator json) throws IOException {
        RankedDecision ranked = answer.ranked();
        json.writeStartObject();
        json.writeStringField("eventId", ranked.impression().eventId());
        json.writeStringField("loop", ranked.impression().loop());
        json.writeNumberField("policyVersion", ranked.impression().policyVersion());
        json.writeNumberField("action", ranked.decision().action());
        json.writeStringField("actionId", ranked.actionId());
        json.writeNumberField("propensity", ranked.decision().propensity());
        json.writeStringField("propensityKind", JsonName.of(ranked.decision().kind()));
        json.writeBooleanField("logged", answer.logged());
        Ranking.write(ranked, json);
        json.writeEndObject();
    }
}
