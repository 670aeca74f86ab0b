package io.counterflow.flink.state;

import io.counterflow.core.loop.EvidenceState;
import io.counterflow.core.rewardmodel.RewardBelief;
import io.counterflow.core.rewardmodel.RewardModelProgress;
import io.counterflow.core.rewardmodel.RewardModelState;
import io.counterflow.schemas.record.EvidenceStateRecord;
import io.counterflow.schemas.record.RewardBeliefRecord;
import io.counterflow.schemas.record.RewardModelStateRecord;
import io.counterflow.schemas.wire.PackedNumbers;

/** Converts the state of the reward model, and the evidence for it, to records and back. */
public final class RewardModelConversion {

    private RewardModelConversion() {}

    public static RewardModelStateRecord toRecord(RewardModelState state) {
        RewardModelProgress progress = state.progress();
        return new RewardModelStateRecord(
                progress.examples(),
                progress.squaredNorms(),
                progress.priorScore(),
                progress.meanReward(),
                progress.meanExamples(),
                progress.challengerExamples(),
                progress.challengerGain(),
                progress.replacements(),
                toRecord(state.champion()),
                toRecord(state.challenger()));
    }

    public static RewardModelState fromRecord(RewardModelStateRecord record) {
        return new RewardModelState(
                new RewardModelProgress(
                        record.getExamples(),
                        record.getSquaredNorms(),
                        record.getPriorScore(),
                        record.getMeanReward(),
                        record.getMeanExamples(),
                        record.getChallengerExamples(),
                        record.getChallengerGain(),
                        record.getReplacements()),
                fromRecord(record.getChampion()),
                fromRecord(record.getChallenger()));
    }

    private static RewardBeliefRecord toRecord(RewardBelief belief) {
        return new RewardBeliefRecord(
                PackedNumbers.pack(belief.means()),
                PackedNumbers.pack(belief.variances()),
                belief.offsetWeight(),
                belief.offsetVariance());
    }

    private static RewardBelief fromRecord(RewardBeliefRecord record) {
        return new RewardBelief(
                PackedNumbers.floats("means", record.getMeans()),
                PackedNumbers.floats("variances", record.getVariances()),
                record.getOffsetWeight(),
                record.getOffsetVariance());
    }

    public static EvidenceStateRecord toRecord(EvidenceState state) {
        return new EvidenceStateRecord(
                state.prefersLpr(),
                state.sum(),
                state.squares(),
                state.largestWeight(),
                state.sumOverActive(),
                state.squaresOverActive());
    }

    public static EvidenceState fromRecord(EvidenceStateRecord record) {
        return new EvidenceState(
                record.getPrefersLpr(),
                record.getSum(),
                record.getSquares(),
                record.getLargestWeight(),
                record.getSumOverActive(),
                record.getSquaresOverActive());
    }
}
