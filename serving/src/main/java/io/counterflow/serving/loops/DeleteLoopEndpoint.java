package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.core.spec.LoopName;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;

/**
 * {@code DELETE /v1/loops/{loop}}: deletes a loop with everything that it has learned. Replies when
 * Kafka has acknowledged the deletion and this process has read it back.
 */
public final class DeleteLoopEndpoint {

    private final PolicyStore policies;
    private final SpecLog log;

    public DeleteLoopEndpoint(PolicyStore policies, SpecLog log) {
        this.policies = policies;
        this.log = log;
    }

    public Endpoint endpoint() {
        return Endpoint.delete("/v1/loops/{loop}", Scope.ADMIN, this::handle);
    }

    private Future<Reply> handle(Call call) {
        String name = LoopName.require(call.path("loop"));
        return log.append(name, () -> deletion(call, name)).map(SpecLog.Entry::reply);
    }

    private SpecLog.Entry deletion(Call call, String name) {
        call.conditions().require(policies.loop(name).map(loop -> SpecTag.of(loop.newestSpec())));
        boolean exists =
                policies.loop(name).isPresent() || policies.refusedLoops().containsKey(name);
        if (!exists) {
            throw ProblemException.notServed(name, policies);
        }
        return SpecLog.Entry.deletion(Reply.empty(204));
    }
}
