package io.counterflow.flink.state;

import io.counterflow.core.confidence.SequenceState;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.rollout.ComparisonState;
import io.counterflow.core.rollout.GateState;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.Stage;
import io.counterflow.schemas.record.ComparisonStateRecord;
import io.counterflow.schemas.record.GateStateRecord;
import io.counterflow.schemas.record.LearnerProgressRecord;
import io.counterflow.schemas.record.SequenceStateRecord;
import io.counterflow.schemas.wire.Optionals;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the state of learner and gate to records and back. */
public final class LoopStateConversion {

    private LoopStateConversion() {}

    public static LearnerProgressRecord toRecord(LearnerProgress progress, int buffered) {
        return new LearnerProgressRecord(
                progress.priorVersion(),
                progress.latestVersion(),
                progress.received(),
                progress.pending(),
                progress.learned(),
                progress.steps(),
                progress.stepsAtSnapshot(),
                progress.sinceSnapshot(),
                progress.snapshotMs(),
                progress.latestMs(),
                buffered);
    }

    public static LearnerProgress fromRecord(LearnerProgressRecord record) {
        return new LearnerProgress(
                record.getPriorVersion(),
                record.getLatestVersion(),
                record.getReceived(),
                record.getPending(),
                record.getLearned(),
                record.getSteps(),
                record.getStepsAtSnapshot(),
                record.getSinceSnapshot(),
                record.getSnapshotMs(),
                record.getLatestMs());
    }

    public static GateStateRecord toRecord(GateState state) {
        Rollout rollout = state.rollout();
        return new GateStateRecord(
                rollout.stage().name(),
                rollout.activeVersion(),
                Optionals.orNull(rollout.candidateVersion()),
                Optionals.orNull(rollout.previousVersion()),
                rollout.share(),
                rollout.paused(),
                state.sequence(),
                state.judgedSoFar(),
                state.watchedSoFar(),
                Optionals.orNull(state.waiting()),
                orNull(state.judged()),
                orNull(state.watched()),
                orNull(state.canary()));
    }

    public static GateState fromRecord(GateStateRecord record) {
        return new GateState(
                new Rollout(
                        Stage.valueOf(record.getStage()),
                        record.getActiveVersion(),
                        Optionals.of(record.getCandidateVersion()),
                        Optionals.of(record.getPreviousVersion()),
                        record.getShare(),
                        record.getPaused()),
                record.getSequence(),
                record.getJudgedSoFar(),
                record.getWatchedSoFar(),
                Optionals.of(record.getWaiting()),
                optional(record.getJudged()),
                optional(record.getWatched()),
                optional(record.getCanary()));
    }

    private static @Nullable ComparisonStateRecord orNull(Optional<ComparisonState> state) {
        return state.map(
                        it ->
                                new ComparisonStateRecord(
                                        it.delta(),
                                        toRecord(it.challenger()),
                                        toRecord(it.holder()),
                                        toRecord(it.difference())))
                .orElse(null);
    }

    private static Optional<ComparisonState> optional(@Nullable ComparisonStateRecord record) {
        return Optional.ofNullable(record)
                .map(
                        it ->
                                new ComparisonState(
                                        it.getDelta(),
                                        fromRecord(it.getChallenger()),
                                        fromRecord(it.getHolder()),
                                        fromRecord(it.getDifference())));
    }

    public static SequenceStateRecord toRecord(SequenceState state) {
        return new SequenceStateRecord(state.grid(), state.logSums(), state.count());
    }

    public static SequenceState fromRecord(SequenceStateRecord record) {
        return new SequenceState(record.getGrid(), record.getLogSums(), record.getCount());
    }
}
