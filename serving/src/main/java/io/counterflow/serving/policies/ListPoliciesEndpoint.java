package io.counterflow.serving.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;

/**
 * {@code GET /v1/loops/{loop}/policies}: versions with their lineage and certificates, and the
 * rollout. The newest come first; {@code limit} says how many. Those that the rollout names, the
 * first one and the one that the loop started with come in any case, however old.
 */
public final class ListPoliciesEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops/{loop}/policies", Scope.READ);
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    private final PolicyStore policies;

    public ListPoliciesEndpoint(PolicyStore policies) {
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
        int limit = limit(call.query().getOrDefault("limit", Integer.toString(DEFAULT_LIMIT)));
        return Future.succeededFuture(Reply.json(200, json -> write(loop, limit, json)));
    }

    private static int limit(String text) {
        int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be in [1, %d]".formatted(MAX_LIMIT));
        }
        return limit;
    }

    private static void write(ServedLoop loop, int limit, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", loop.spec().loop());
        json.writeNumberField("startingVersion", loop.spec().startingVersion());
        if (loop.rollout().isPresent()) {
            json.writeFieldName("rollout");
            RolloutJson.write(loop.rollout().get(), json);
        }
        json.writeArrayFieldStart("history");
        for (RolloutRecord change : loop.recentRollouts()) {
            RolloutJson.write(change, json);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("policies");
        List<KnownVersion> versions = loop.versions();
        int oldest = Math.max(0, versions.size() - limit);
        boolean startIsPublished = false;
        for (int i = versions.size() - 1; i >= 0; i--) {
            KnownVersion version = versions.get(i);
            boolean isStart = version.version() == loop.spec().startingVersion();
            if (i >= oldest || i == 0 || isStart || VersionJson.hasRole(loop, version.version())) {
                VersionJson.write(loop, version, json);
            }
            startIsPublished |= isStart;
        }
        if (!startIsPublished) {
            VersionJson.writeStart(loop, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
