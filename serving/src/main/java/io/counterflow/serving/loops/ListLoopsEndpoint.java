package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;

/** {@code GET /v1/loops}: all loops, by name. */
public final class ListLoopsEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops", Scope.READ);

    private final PolicyStore policies;

    public ListLoopsEndpoint(PolicyStore policies) {
        this.policies = policies;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return Future.succeededFuture(
                Reply.json(
                        200,
                        json -> {
                            json.writeStartObject();
                            json.writeArrayFieldStart("loops");
                            for (ServedLoop loop : policies.loops().values()) {
                                LoopJson.writeSummary(loop, json);
                            }
                            json.writeEndArray();
                            json.writeEndObject();
                        }));
    }
}
