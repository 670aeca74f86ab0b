package io.counterflow.serving.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Calls that show the versions of a loop, without their weights, and the rollout. */
public final class PolicyEndpoints {

    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    private final PolicyStore policies;

    public PolicyEndpoints(PolicyStore policies) {
        this.policies = policies;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/v1/loops/{loop}/policies", this::list),
                Endpoint.get("/v1/loops/{loop}/policies/{version}", this::get));
    }

    private Reply list(Call call) {
        ServedLoop loop = call.loop(policies);
        int limit = limit(call.query().getOrDefault("limit", Integer.toString(DEFAULT_LIMIT)));
        return Reply.json(200, json -> write(loop, limit, json));
    }

    private static int limit(String text) {
        int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
        Require.that(limit >= 1 && limit <= MAX_LIMIT, "limit must be in [1, %d]", MAX_LIMIT);
        return limit;
    }

    /**
     * Lists the newest versions first. The versions that the rollout names, the first version and
     * the starting version are always listed.
     */
    private static void write(ServedLoop loop, int limit, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", loop.spec().loop());
        json.writeNumberField("startingVersion", loop.spec().startingVersion());
        RewardRange range = loop.spec().rewardRange();
        if (loop.rollout().isPresent()) {
            json.writeFieldName("rollout");
            RolloutJson.write(loop.rollout().get(), range, json);
        }
        json.writeArrayFieldStart("history");
        for (RolloutRecord change : loop.recentRollouts()) {
            RolloutJson.write(change, range, json);
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

    private Reply get(Call call) {
        ServedLoop loop = call.loop(policies);
        long version = version(call.path("version"));
        Optional<KnownVersion> known =
                loop.versions().stream().filter(it -> it.version() == version).findAny();
        if (known.isEmpty() && version != loop.spec().startingVersion()) {
            throw new ProblemException(
                    404,
                    "unknown-version",
                    "version %d does not exist or is no longer kept".formatted(version));
        }
        return Reply.json(
                200,
                json -> {
                    if (known.isPresent()) {
                        VersionJson.write(loop, known.get(), json);
                    } else {
                        VersionJson.writeStart(loop, json);
                    }
                });
    }

    private static long version(String text) {
        Require.that(text.matches("[0-9]{1,18}"), "version must be a whole number of at least 0");
        return Long.parseLong(text);
    }
}
