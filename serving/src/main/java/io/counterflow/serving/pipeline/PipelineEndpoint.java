package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;

/**
 * {@code GET /v1/loops/{loop}/pipeline}: the state of each stage. The first call waits until the
 * job's records are counted, because without them it says nothing about the job.
 */
public final class PipelineEndpoint {

    private static final Duration MAX_COUNTING = Duration.ofSeconds(5);

    private final PolicyStore policies;
    private final LoopPipelines pipelines;

    public PipelineEndpoint(PolicyStore policies, LoopPipelines pipelines) {
        this.policies = policies;
        this.pipelines = pipelines;
    }

    public Endpoint endpoint() {
        return Endpoint.reading("/v1/loops/{loop}/pipeline", this::handle);
    }

    private Future<Reply> handle(Call call) {
        ServedLoop loop = call.loop(policies);
        return Future.fromCompletionStage(
                        pipelines.counted(MAX_COUNTING),
                        Objects.requireNonNull(Vertx.currentContext()))
                .map(ignored -> Reply.json(200, json -> PipelineJson.write(pipelines, loop, json)));
    }
}
