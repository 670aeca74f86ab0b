package io.counterflow.serving.stats;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.policies.RolloutJson;
import java.util.Optional;

/** {@code GET /v1/loops/{loop}/stats}: the newest windows of estimates, and the rollout. */
public final class StatsEndpoint {

    private final PolicyStore policies;
    private final WindowStore windows;
    private final Truth truth;

    public StatsEndpoint(PolicyStore policies, WindowStore windows, Truth truth) {
        this.policies = policies;
        this.windows = windows;
        this.truth = truth;
    }

    public Endpoint endpoint() {
        return Endpoint.get("/v1/loops/{loop}/stats", this::handle);
    }

    private Reply handle(Call call) {
        ServedLoop loop = call.loop(policies);
        return Reply.json(
                200,
                json -> {
                    json.writeStartObject();
                    json.writeStringField("loop", loop.spec().loop());
                    json.writeNumberField("policyVersion", loop.active().version());
                    if (loop.degradedReason().isPresent()) {
                        json.writeStringField("degradedReason", loop.degradedReason().get());
                    }
                    if (loop.rollout().isPresent()) {
                        json.writeFieldName("rollout");
                        RolloutJson.write(loop.rollout().get(), loop.spec().rewardRange(), json);
                    }
                    Optional<TrueValues> values = truth.of(loop.spec().loop());
                    if (values.isPresent()) {
                        json.writeFieldName("truth");
                        json.writePOJO(values.get());
                    }
                    json.writeArrayFieldStart("windows");
                    for (IpsWindowRecord window : windows.of(loop.spec().loop())) {
                        WindowJson.write(window, loop.spec().rewardRange(), json);
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                });
    }
}
