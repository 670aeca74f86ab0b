package io.counterflow.serving.events;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.policies.ServedPolicy;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code GET /v1/loops/{loop}/events/{eventId}}: a decision as logged, and why it was taken. */
public final class EventEndpoint {

    private final RequestWorkers workers;
    private final PolicyStore policies;
    private final RecentDecisions decisions;
    private final ImpressionJson impressions = new ImpressionJson(JsonLimits.defaults());

    public EventEndpoint(RequestWorkers workers, PolicyStore policies, RecentDecisions decisions) {
        this.workers = workers;
        this.policies = policies;
        this.decisions = decisions;
    }

    public Endpoint endpoint() {
        return Endpoint.reading("/v1/loops/{loop}/events/{eventId}", Scope.EVENTS, this::handle);
    }

    private Future<Reply> handle(Call call) {
        ServedLoop loop = call.loop(policies);
        String eventId = call.path("eventId");
        return workers.run(
                () -> {
                    RecentDecisions.Known known =
                            decisions
                                    .find(call.path("loop"), eventId)
                                    .orElseThrow(() -> RecentDecisions.unknown("event"));
                    return Reply.json(200, json -> write(loop, known, json));
                });
    }

    private void write(ServedLoop loop, RecentDecisions.Known known, JsonGenerator json)
            throws IOException {
        Impression impression = known.impression();
        json.writeStartObject();
        json.writeFieldName("decision");
        impressions.write(impression, json);
        json.writeBooleanField("retracted", known.retracted());
        Optional<ServedPolicy> policy = policy(loop, impression);
        if (policy.isPresent()) {
            json.writeFieldName("explanation");
            write(
                    Explanation.of(loop, policy.get().policy().model(), impression.context()),
                    actionIds(loop, impression.context()),
                    impression.choice().distribution(),
                    json);
        } else {
            json.writeStringField(
                    "notExplained",
                    "version %d of spec %d decides no more, so its weights are not in memory"
                            .formatted(impression.policyVersion(), impression.specVersion()));
        }
        json.writeEndObject();
    }

    /** The version that drew the action, if it still decides under the same spec. */
    private static Optional<ServedPolicy> policy(ServedLoop loop, Impression impression) {
        return Stream.concat(Stream.of(loop.active()), loop.canary().stream())
                .filter(it -> it.version() == impression.policyVersion())
                .filter(it -> loop.spec().version() == impression.specVersion())
                .findFirst();
    }

    private static List<String> actionIds(ServedLoop loop, Context context) {
        return context instanceof Context.Named named && !named.actions().isEmpty()
                ? named.actions().stream().map(NamedAction::id).toList()
                : loop.spec().actionIds();
    }

    private static void write(
            Explanation explanation,
            List<String> actionIds,
            List<Double> distribution,
            JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("actions");
        for (int a = 0; a < actionIds.size(); a++) {
            json.writeStartObject();
            json.writeStringField("id", actionIds.get(a));
            json.writeNumberField("score", explanation.scores().get(a));
            if (!distribution.isEmpty()) {
                json.writeNumberField("probability", distribution.get(a));
            }
            if (explanation.contributions().isPresent()) {
                json.writeArrayFieldStart("contributions");
                for (Explanation.Contribution it : explanation.contributions().get().get(a)) {
                    json.writeStartObject();
                    json.writeStringField("feature", it.feature());
                    json.writeNumberField("value", it.value());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
