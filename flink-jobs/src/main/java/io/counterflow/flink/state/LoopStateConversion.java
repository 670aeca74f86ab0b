package io.counterflow.flink.state;

import io.counterflow.core.confidence.DifferenceState;
import io.counterflow.core.confidence.MeanRewardState;
import io.counterflow.core.confidence.MeanWeightState;
import io.counterflow.core.confidence.SequenceState;
import io.counterflow.core.loop.BufferState;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.rollout.ComparisonState;
import io.counterflow.core.rollout.GainState;
import io.counterflow.core.rollout.GateState;
import io.counterflow.core.rollout.HoldoutState;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.Stage;
import io.counterflow.schemas.record.ComparisonStateRecord;
import io.counterflow.schemas.record.DifferenceStateRecord;
import io.counterflow.schemas.record.ExampleBlockRecord;
import io.counterflow.schemas.record.GainStateRecord;
import io.counterflow.schemas.record.GateStateRecord;
import io.counterflow.schemas.record.HoldoutStateRecord;
import io.counterflow.schemas.record.LearnerProgressRecord;
import io.counterflow.schemas.record.MeanRewardStateRecord;
import io.counterflow.schemas.record.MeanWeightStateRecord;
import io.counterflow.schemas.record.SequenceStateRecord;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the state of learner and gate to records and back. */
public final class LoopStateConversion {

    private LoopStateConversion() {}

    public static LearnerProgressRecord toRecord(LearnerProgress progress) {
        return new LearnerProgressRecord(
                progress.activeVersion(),
                progress.priorVersion(),
                progress.latestVersion(),
                progress.received(),
                progress.pending(),
                progress.learned(),
                progress.steps(),
                progress.stepsAtSnapshot(),
                progress.sinceSnapshot(),
                progress.rewardsSinceSnapshot(),
                progress.rewardsBeforeSnapshot(),
                progress.snapshotMs(),
                progress.latestMs(),
                progress.certifiedFrom(),
                progress.variance());
    }

    public static LearnerProgress fromRecord(LearnerProgressRecord record) {
        return new LearnerProgress(
                record.getActiveVersion(),
                record.getPriorVersion(),
                record.getLatestVersion(),
                record.getReceived(),
                record.getPending(),
                record.getLearned(),
                record.getSteps(),
                record.getStepsAtSnapshot(),
                record.getSinceSnapshot(),
                record.getRewardsSinceSnapshot(),
                record.getRewardsBeforeSnapshot(),
                record.getSnapshotMs(),
                record.getLatestMs(),
                record.getCertifiedFrom(),
                record.getVariance());
    }

    public static List<ExampleBlockRecord> toRecords(List<BufferState.Block> blocks) {
        return blocks.stream()
                .map(it -> new ExampleBlockRecord(it.first(), it.size(), it.bytes()))
                .toList();
    }

    public static List<BufferState.Block> fromRecords(List<ExampleBlockRecord> blocks) {
        return blocks.stream()
                .map(it -> new BufferState.Block(it.getFirst(), it.getSize(), it.getBytes()))
                .toList();
    }

    public static GateStateRecord toRecord(GateState state) {
        Rollout rollout = state.rollout();
        return new GateStateRecord(
                rollout.stage().name(),
                rollout.activeVersion(),
                Optionals.orNull(rollout.candidateVersion()),
                rollout.registeredVersions(),
                Optionals.orNull(rollout.previousVersion()),
                rollout.share(),
                rollout.paused(),
                rollout.closedReason().orElse(null),
                state.sequence(),
                state.comparedSoFar(),
                state.watchedSoFar(),
                state.turnsWithoutPromotion(),
                state.turnExamples(),
                state.shareIsFixed(),
                state.isActiveGiven(),
                toRecord(state.gain()),
                toRecord(state.guardrailGain()),
                state.ruleSince(),
                state.cleanExamples(),
                state.cleanExamplesLeft(),
                state.trusted(),
                Optionals.orNull(state.waiting()),
                orNull(state.candidate()),
                state.registered().stream().map(LoopStateConversion::toRecord).toList(),
                orNull(state.watched()),
                orNull(state.canary()));
    }

    public static GateState fromRecord(GateStateRecord record) {
        return new GateState(
                new Rollout(
                        Stage.valueOf(record.getStage()),
                        record.getActiveVersion(),
                        Optionals.of(record.getCandidateVersion()),
                        record.getRegisteredVersions(),
                        Optionals.of(record.getPreviousVersion()),
                        record.getShare(),
                        record.getPaused(),
                        Optional.ofNullable(record.getClosedReason())),
                record.getSequence(),
                record.getComparedSoFar(),
                record.getWatchedSoFar(),
                record.getTurnsWithoutPromotion(),
                record.getTurnExamples(),
                record.getShareIsFixed(),
                record.getIsActiveGiven(),
                fromRecord(record.getGain()),
                fromRecord(record.getGuardrailGain()),
                record.getRuleSince(),
                record.getCleanExamples(),
                record.getCleanExamplesLeft(),
                record.getTrusted(),
                Optionals.of(record.getWaiting()),
                optional(record.getCandidate()),
                record.getRegistered().stream().map(LoopStateConversion::fromRecord).toList(),
                optional(record.getWatched()),
                optional(record.getCanary()));
    }

    private static @Nullable ComparisonStateRecord orNull(Optional<ComparisonState> state) {
        return state.map(LoopStateConversion::toRecord).orElse(null);
    }

    private static Optional<ComparisonState> optional(@Nullable ComparisonStateRecord record) {
        return Optional.ofNullable(record).map(LoopStateConversion::fromRecord);
    }

    private static ComparisonStateRecord toRecord(ComparisonState state) {
        return new ComparisonStateRecord(
                state.delta(),
                state.sinceMs(),
                toRecord(state.challenger()),
                toRecord(state.holder()),
                toRecord(state.difference()),
                state.guardrail().map(LoopStateConversion::toRecord).orElse(null),
                toRecord(state.meanWeight()));
    }

    private static ComparisonState fromRecord(ComparisonStateRecord record) {
        return new ComparisonState(
                record.getDelta(),
                record.getSinceMs(),
                fromRecord(record.getChallenger()),
                fromRecord(record.getHolder()),
                fromRecord(record.getDifference()),
                Optional.ofNullable(record.getGuardrail()).map(LoopStateConversion::fromRecord),
                fromRecord(record.getMeanWeight()));
    }

    private static GainStateRecord toRecord(GainState state) {
        return new GainStateRecord(state.sum(), state.squares());
    }

    private static GainState fromRecord(GainStateRecord record) {
        return new GainState(record.getSum(), record.getSquares());
    }

    private static DifferenceStateRecord toRecord(DifferenceState state) {
        return new DifferenceStateRecord(
                PackedNumbers.pack(state.grid()),
                PackedNumbers.pack(state.logSums()),
                state.counts());
    }

    private static DifferenceState fromRecord(DifferenceStateRecord record) {
        return new DifferenceState(
                PackedNumbers.numbers("grid", record.getGrid()),
                PackedNumbers.numbers("logSums", record.getLogSums()),
                record.getCounts());
    }

    /** The record of the bounds on a mean weight. */
    public static MeanWeightStateRecord toRecord(MeanWeightState state) {
        return new MeanWeightStateRecord(
                state.maxWeight(),
                toRecord(state.below()),
                state.above().map(LoopStateConversion::toRecord).orElse(null));
    }

    /** The bounds on a mean weight. */
    public static MeanWeightState fromRecord(MeanWeightStateRecord record) {
        return new MeanWeightState(
                record.getMaxWeight(),
                fromRecord(record.getBelow()),
                Optional.ofNullable(record.getAbove()).map(LoopStateConversion::fromRecord));
    }

    public static HoldoutStateRecord toRecord(HoldoutState state) {
        return new HoldoutStateRecord(
                state.sinceSpec(),
                state.sinceMs(),
                toRecord(state.holdout()),
                toRecord(state.rest()));
    }

    public static HoldoutState fromRecord(HoldoutStateRecord record) {
        return new HoldoutState(
                record.getSinceSpec(),
                record.getSinceMs(),
                fromRecord(record.getHoldout()),
                fromRecord(record.getRest()));
    }

    private static MeanRewardStateRecord toRecord(MeanRewardState state) {
        return new MeanRewardStateRecord(
                state.sum(), toRecord(state.below()), toRecord(state.above()));
    }

    private static MeanRewardState fromRecord(MeanRewardStateRecord record) {
        return new MeanRewardState(
                record.getSum(), fromRecord(record.getBelow()), fromRecord(record.getAbove()));
    }

    public static SequenceStateRecord toRecord(SequenceState state) {
        return new SequenceStateRecord(
                PackedNumbers.pack(state.grid()),
                PackedNumbers.pack(state.logSums()),
                state.count());
    }

    public static SequenceState fromRecord(SequenceStateRecord record) {
        return new SequenceState(
                PackedNumbers.numbers("grid", record.getGrid()),
                PackedNumbers.numbers("logSums", record.getLogSums()),
                record.getCount());
    }
}
