package io.counterflow.serving.health;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * {@code GET /readyz}: whether requests should be sent here: all policies are known and the process
 * is not about to end. The detail says which loops are served by other versions than they should.
 */
public final class ReadyzEndpoint implements Endpoint {

    private static final Route ROUTE = Route.open("/readyz");
    private static final int MAX_LISTED = 100;

    private final PolicyStore policies;
    private final BooleanSupplier caughtUp;
    private final BooleanSupplier stopping;

    public ReadyzEndpoint(
            PolicyStore policies, BooleanSupplier caughtUp, BooleanSupplier stopping) {
        this.policies = policies;
        this.caughtUp = caughtUp;
        this.stopping = stopping;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        boolean ready = caughtUp.getAsBoolean() && !stopping.getAsBoolean();
        return Future.succeededFuture(Reply.json(ready ? 200 : 503, json -> write(ready, json)));
    }

    private void write(boolean ready, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeBooleanField("ready", ready);
        json.writeBooleanField("caughtUp", caughtUp.getAsBoolean());
        json.writeBooleanField("stopping", stopping.getAsBoolean());
        json.writeNumberField("loops", policies.loops().size());
        json.writeNumberField("refusedRecords", policies.refused());
        json.writeArrayFieldStart("degradedLoops");
        int written = 0;
        for (ServedLoop loop : policies.loops().values()) {
            if (loop.degradedReason().isPresent() && written++ < MAX_LISTED) {
                json.writeStartObject();
                json.writeStringField("loop", loop.spec().loop());
                json.writeNumberField("servedVersion", loop.active().version());
                json.writeStringField("reason", loop.degradedReason().get());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
