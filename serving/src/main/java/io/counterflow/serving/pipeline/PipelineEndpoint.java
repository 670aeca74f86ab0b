package io.counterflow.serving.pipeline;

import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.counterflow.serving.policies.PolicyStore;
import io.counterflow.serving.policies.ServedLoop;
import io.vertx.core.Future;

/** {@code GET /v1/loops/{loop}/pipeline}: how far feedback comes, and why no further. */
public final class PipelineEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops/{loop}/pipeline", Scope.READ);

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
        return Future.succeededFuture(
                Reply.json(200, json -> PipelineJson.write(pipelines, loop, json)));
    }
}
