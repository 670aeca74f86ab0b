package io.counterflow.schemas.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rollout.GateBounds;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.RolloutStageRecord;
import io.counterflow.schemas.wire.KnownConstant;
import io.counterflow.schemas.wire.Optionals;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Converts rollout changes to records, and records to the rollout after the change. */
public final class RolloutConversion {

    private static final String SPEC = "@spec";

    private RolloutConversion() {}

    /**
     * The key of the spec in force of a loop, which is on the same topic: newer specs that wait or
     * were refused replace it on the topic of specs.
     */
    public static String specKey(String loop) {
        return loop + SPEC;
    }

    /** The loop of the key of a spec in force; empty for the key of a rollout. */
    public static Optional<String> loopOfSpecKey(String key) {
        return key.endsWith(SPEC)
                ? Optional.of(key.substring(0, key.length() - SPEC.length()))
                : Optional.empty();
    }

    /**
     * The record of a change, without the time at which the loop started.
     *
     * @param timeMicros event time of the change in microseconds since 1970
     * @param mode the rollout mode of the loop
     * @param commandId the command that caused it; empty for an automatic change
     * @param specVersion current version of the spec of the loop
     */
    public static RolloutRecord toRecord(
            RolloutChange change,
            String loop,
            long timeMicros,
            RolloutMode mode,
            Optional<String> commandId,
            long specVersion) {
        Rollout rollout = change.rollout();
        RolloutRecord record = new RolloutRecord();
        record.setLoop(loop);
        record.setSequence(change.sequence());
        record.setTime(Instant.EPOCH.plus(timeMicros, ChronoUnit.MICROS));
        record.setKind(RolloutKindRecord.valueOf(change.kind().name()));
        record.setStage(RolloutStageRecord.valueOf(rollout.stage().name()));
        record.setActiveVersion(rollout.activeVersion());
        record.setCandidateVersion(Optionals.orNull(rollout.candidateVersion()));
        record.setRegisteredVersions(rollout.registeredVersions());
        record.setPreviousVersion(Optionals.orNull(rollout.previousVersion()));
        record.setCandidateShare(rollout.share());
        record.setMode(RolloutModeRecord.valueOf(mode.name()));
        record.setPaused(rollout.paused());
        record.setClosedReason(rollout.closedReason().orElse(null));
        record.setCommandId(commandId.orElse(null));
        change.bounds().ifPresent(bounds -> put(bounds, record));
        record.setSpecVersion(specVersion);
        record.setLoopStartedAt(Instant.EPOCH);
        record.setReason(change.reason());
        return record;
    }

    private static void put(GateBounds bounds, RolloutRecord record) {
        record.setCandidateLowerBound(bounds.challengerLower());
        record.setActiveUpperBound(bounds.holderUpper());
        record.setDifferenceLowerBound(bounds.differenceLower());
        record.setGuardrailLowerBound(Optionals.orNull(bounds.guardrailLower()));
        record.setComparedExamples(bounds.examples());
    }

    /**
     * The rollout after the change. If the record is invalid, an {@link IllegalArgumentException}
     * names the field.
     */
    public static Rollout fromRecord(RolloutRecord record) {
        return new Rollout(
                KnownConstant.of(Stage.class, "stage", record.getStage()),
                Require.atLeast(0, record.getActiveVersion(), "activeVersion"),
                Optionals.of(record.getCandidateVersion()),
                record.getRegisteredVersions(),
                Optionals.of(record.getPreviousVersion()),
                record.getCandidateShare(),
                record.getPaused(),
                Optional.ofNullable(record.getClosedReason()));
    }
}
