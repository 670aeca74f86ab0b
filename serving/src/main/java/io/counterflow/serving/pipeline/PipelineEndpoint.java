package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;

/** {@code GET /v1/loops/{loop}/pipeline}: the state of each stage. */
public final class PipelineEndpoint {

    private final PolicyStore policies;
    private final LoopPipelines pipelines;

    public PipelineEndpoint(PolicyStore policies, LoopPipelines pipelines) {
        this.policies = policies;
        this.pipelines = pipelines;
    }

    public Endpoint endpoint() {
        return Endpoint.get("/v1/loops/{loop}/pipeline", this::handle);
    }

    private Reply handle(Call call) {
        ServedLoop loop = call.loop(policies);
        return Reply.json(200, json -> PipelineJson.write(pipelines, loop, call.caller(), json));
    }
}
