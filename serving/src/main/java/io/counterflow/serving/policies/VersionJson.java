package io.counterflow.serving.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.IOException;

/** Writes a version with its role and its snapshot. */
final class VersionJson {

    private static final String NO_ROLE = "none";

    private VersionJson() {}

    static void write(ServedLoop loop, KnownVersion version, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        writeRole(loop, version.version(), json);
        json.writeFieldName("snapshot");
        version.description().write(json);
        json.writeEndObject();
    }

    /** Writes the starting policy, if it was not published. */
    static void writeStart(ServedLoop loop, JsonGenerator json) throws IOException {
        json.writeStartObject();
        writeRole(loop, loop.spec().startingVersion(), json);
        if (loop.spec().startingPolicy().isPresent()) {
            PolicySnapshot start = loop.spec().startingPolicy().get();
            json.writeFieldName("snapshot");
            SnapshotJson.write(start, false, json);
        }
        json.writeEndObject();
    }

    private static void writeRole(ServedLoop loop, long version, JsonGenerator json)
            throws IOException {
        json.writeNumberField("version", version);
        json.writeStringField("role", role(loop, version));
        json.writeNumberField("share", share(loop, version));
    }

    /** Whether the version is part of the rollout or decides events. */
    static boolean hasRole(ServedLoop loop, long version) {
        return !role(loop, version).equals(NO_ROLE) || share(loop, version) > 0.0;
    }

    /** The role of the version in the rollout. */
    private static String role(ServedLoop loop, long version) {
        String otherwise = isBaseline(loop, version) ? "holdout" : NO_ROLE;
        if (loop.rollout().isEmpty()) {
            return version == loop.active().version() ? "active" : otherwise;
        }
        RolloutRecord rollout = loop.rollout().get();
        if (rollout.getActiveVersion() == version) {
            return "active";
        }
        if (Long.valueOf(version).equals(rollout.getCandidateVersion())) {
            return "candidate";
        }
        if (rollout.getRegisteredVersions().contains(version)) {
            return "registered";
        }
        return Long.valueOf(version).equals(rollout.getPreviousVersion()) ? "previous" : otherwise;
    }

    private static boolean isBaseline(ServedLoop loop, long version) {
        return loop.baseline().isPresent() && loop.baseline().get().version() == version;
    }

    /** The share of events that it decides in this process. */
    private static double share(ServedLoop loop, long version) {
        double holdout =
                loop.baseline().isPresent() ? loop.spec().get(LoopSettings.HOLDOUT_SHARE) : 0.0;
        return (1.0 - holdout) * shareOfRest(loop, version)
                + (isBaseline(loop, version) ? holdout : 0.0);
    }

    private static double shareOfRest(ServedLoop loop, long version) {
        if (loop.canary().isPresent() && loop.canary().get().version() == version) {
            return loop.canaryShare();
        }
        return loop.active().version() == version ? 1.0 - loop.canaryShare() : 0.0;
    }
}
