package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;

/** {@code GET /v1/loops/{loop}}: a loop's spec, and who decides. */
public final class GetLoopEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops/{loop}", Scope.READ);

    private final PolicyStore policies;

    public GetLoopEndpoint(PolicyStore policies) {
        this.policies = policies;
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
        return Future.succeededFuture(Reply.json(200, json -> LoopJson.write(loop, json)));
    }
}
