package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;

/**
 * {@code GET /v1/loops/{loop}/pipeline}: how far feedback comes, and why no further. Whoever asks
 * first, or seldom, waits until what the job writes is counted: an answer without it would say
 * nothing about the job.
 */
public final class PipelineEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops/{loop}/pipeline", Scope.READ);

    private static final Duration MAX_COUNTING = Duration.ofSeconds(5);

    private final PolicyStore policies;
    private final LoopPipelines pipelines;

    public PipelineEndpoint(PolicyStore policies, LoopPipelines pipelines) {
        this.policies = policies;
        this.pipelines = pipelines;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        String name = call.path("loop");
        ServedLoop loop =
                policies.loop(name).orElseThrow(() -> Problem.unknownLoop(name).asException());
        return Future.fromCompletionStage(
                        pipelines.counted(MAX_COUNTING),
                        Objects.requireNonNull(Vertx.currentContext()))
                .map(ignored -> Reply.json(200, json -> PipelineJson.write(pipelines, loop, json)));
    }
}
