package io.counterflow.serving.loops;

import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.SpecChange;
import io.counterflow.core.loop.SpecChange.Field;
import io.counterflow.core.loop.SpecChange.Verdict;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.RolloutRule;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a change of a loop's whole spec amounts to: what the learner says of it, and the rest, with
 * the names that the spec's JSON has.
 */
final class SpecVerdict {

    private static final String DECISIONS = "later decisions are taken by it";
    private static final String GATE = "the gate goes by it";

    /** What the learner calls otherwise. */
    private static final Map<String, String> NAMES =
            Map.of(
                    "propensityFloor", "tau",
                    "bufferCapacity", "bufferLimit",
                    "snapshotIntervalMs", "snapshotInterval");

    private final List<Field> fields = new ArrayList<>();

    private SpecVerdict() {}

    static SpecChange classify(LoopSpec before, LoopSpec after) {
        SpecVerdict verdict = new SpecVerdict();
        verdict.shape(before, after);
        verdict.hot("normBound", before.normBound(), after.normBound(), DECISIONS);
        verdict.decisions(before.decisions(), after.decisions());
        verdict.rewards(before.rewardRule(), after.rewardRule());
        verdict.rollout(before.rollout(), after.rollout());
        return new SpecChange(verdict.fields);
    }

    private void shape(LoopSpec before, LoopSpec after) {
        if (!after.shape().continues(before.shape())) {
            refuse("shape", "parameters mean other features or actions; make a new loop");
            return;
        }
        for (Field field :
                SpecChange.classify(before.learnerSpec(), after.learnerSpec()).fields()) {
            fields.add(
                    new Field(
                            NAMES.getOrDefault(field.name(), field.name()),
                            field.verdict(),
                            field.reason()));
        }
        hot(
                "varianceLambda",
                before.learning().objective().varianceLambda(),
                after.learning().objective().varianceLambda(),
                "only training offline uses it");
        hot("actions", before.fixedActions(), after.fixedActions(), DECISIONS);
        if (!checksum(before).equals(checksum(after))) {
            // Its version would mean one policy to this process and another to the job.
            refuse("startingPolicy", "the loop has started with another; make a new loop");
        }
    }

    private static String checksum(LoopSpec spec) {
        return spec.startingPolicy().map(SpecVerdict::checksum).orElse("");
    }

    private static String checksum(PolicySnapshot snapshot) {
        return SnapshotConversion.toRecord(snapshot).getChecksum();
    }

    private void decisions(DecisionRule from, DecisionRule to) {
        hot("policy", from.policy(), to.policy(), DECISIONS);
        hot("propensityKind", from.propensityKind(), to.propensityKind(), DECISIONS);
        hot("propensityDraws", from.propensityDraws(), to.propensityDraws(), DECISIONS);
        hot("variance", from.variance(), to.variance(), DECISIONS);
        hot("inverseTemperature", from.inverseTemperature(), to.inverseTemperature(), DECISIONS);
        hot("explorationFloor", from.explorationFloor(), to.explorationFloor(), DECISIONS);
        hot("distributionLimit", from.distributionLimit(), to.distributionLimit(), DECISIONS);
        hot("unloggedDecision", from.unloggedDecision(), to.unloggedDecision(), DECISIONS);
    }

    private void rewards(RewardRule from, RewardRule to) {
        hot("attributionWindow", from.attributionWindow(), to.attributionWindow(), DECISIONS);
        hot("defaultReward", from.defaultReward(), to.defaultReward(), DECISIONS);
        hot("rewardAggregation", from.aggregation(), to.aggregation(), DECISIONS);
    }

    private void rollout(RolloutRule from, RolloutRule to) {
        hot("rolloutMode", from.mode(), to.mode(), GATE);
        hot("canaryShare", from.canaryShare(), to.canaryShare(), GATE);
        hot("candidateExamples", from.candidateExamples(), to.candidateExamples(), GATE);
        hot("automaticRollback", from.automaticRollback(), to.automaticRollback(), GATE);
    }

    private void hot(String name, Object before, Object after, String reason) {
        if (!Objects.equals(before, after)) {
            fields.add(new Field(name, Verdict.HOT, reason));
        }
    }

    private void refuse(String name, String reason) {
        fields.add(new Field(name, Verdict.REFUSED, reason));
    }
}
