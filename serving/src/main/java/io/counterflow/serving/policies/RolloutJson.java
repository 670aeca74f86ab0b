package io.counterflow.serving.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.RolloutRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a change of a rollout, and the rollout after it, in the loop's own unit of rewards. */
public final class RolloutJson {

    private RolloutJson() {}

    public static void write(RolloutRecord rollout, RewardRange unit, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeNumberField("sequence", rollout.getSequence());
        json.writeStringField("time", rollout.getTime().toString());
        json.writeStringField("kind", JsonName.of(rollout.getKind()));
        json.writeStringField("stage", JsonName.of(rollout.getStage()));
        json.writeNumberField("activeVersion", rollout.getActiveVersion());
        write("candidateVersion", rollout.getCandidateVersion(), json);
        json.writeArrayFieldStart("registeredVersions");
        for (long version : rollout.getRegisteredVersions()) {
            json.writeNumber(version);
        }
        json.writeEndArray();
        write("previousVersion", rollout.getPreviousVersion(), json);
        json.writeNumberField("share", rollout.getCandidateShare());
        json.writeStringField("mode", JsonName.of(rollout.getMode()));
        json.writeBooleanField("paused", rollout.getPaused());
        if (rollout.getClosedReason() != null) {
            json.writeStringField("closedReason", rollout.getClosedReason());
        }
        json.writeNumberField("specVersion", rollout.getSpecVersion());
        if (rollout.getCommandId() != null) {
            json.writeStringField("commandId", rollout.getCommandId());
        }
        if (rollout.getRequestedBy() != null) {
            json.writeStringField("requestedBy", rollout.getRequestedBy());
        }
        write("candidateLowerBound", reward(rollout.getCandidateLowerBound(), unit), json);
        write("activeUpperBound", reward(rollout.getActiveUpperBound(), unit), json);
        Double difference = rollout.getDifferenceLowerBound();
        write(
                "differenceLowerBound",
                difference == null ? null : unit.differenceFromUnit(difference),
                json);
        write("guardrailLowerBound", rollout.getGuardrailLowerBound(), json);
        json.writeNumberField("comparedExamples", rollout.getComparedExamples());
        json.writeStringField("reason", rollout.getReason());
        json.writeEndObject();
    }

    private static @Nullable Double reward(@Nullable Double reward, RewardRange unit) {
        return reward == null ? null : unit.fromUnit(reward);
    }

    private static void write(String field, @Nullable Long value, JsonGenerator json)
            throws IOException {
        if (value != null) {
            json.writeNumberField(field, value);
        }
    }

    private static void write(String field, @Nullable Double value, JsonGenerator json)
            throws IOException {
        if (value != null && Double.isFinite(value)) {
            json.writeNumberField(field, value);
        }
    }
}
