package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import org.junit.jupiter.api.Test;

final class PolicyEvaluationTest {

    private static PolicyEvaluation ofSmallLog(int from, int to) {
        PolicyEvaluation evaluation = new PolicyEvaluation(SmallLog.FLOOR, 1.0);
        for (int i = from; i < to; i++) {
            evaluation.add(SmallLog.TARGETS[i], SmallLog.PROPENSITIES[i], SmallLog.REWARDS[i]);
        }
        return evaluation;
    }

    @Test
    void containsTheResultOfEachEstimator() {
        EvaluationResult result = ofSmallLog(0, 4).result(0.05);
        assertThat(result.n()).isEqualTo(4);
        assertThat(result.ips()).isEqualTo(Estimate.of(SmallLog.addedTo(new Ips()), 0.05));
        assertThat(result.truncatedIps())
                .isEqualTo(Estimate.of(SmallLog.addedTo(new TruncatedIps(0.2)), 0.05));
        assertThat(result.clippedRatioIps())
                .isEqualTo(Estimate.of(SmallLog.addedTo(new ClippedRatioIps(0.2)), 0.05));
        assertThat(result.selfNormalized())
                .isEqualTo(Estimate.of(SmallLog.addedTo(new SelfNormalizedIps()), 0.05));
        assertThat(result.logSmoothed())
                .isEqualTo(Estimate.of(SmallLog.addedTo(new LogSmoothedIps(1.0)), 0.05));
        assertThat(result.onPolicyMean())
                .isEqualTo(Estimate.of(SmallLog.addedTo(new OnPolicyMean()), 0.05));
        assertThat(result.ips().empiricalBernsteinInterval()).isEmpty();
        assertThat(result.truncatedIps().empiricalBernsteinInterval()).isPresent();
        assertThat(result.doublyRobust()).isEmpty();
        assertThat(result.clipRate()).isEqualTo(0.5);
        assertThat(result.ratioClipRate()).isEqualTo(0.5);
        assertThat(result.maxWeight()).isCloseTo(12.0, within(1e-12));
    }

    @Test
    void mergingEqualsOnePass() {
        PolicyEvaluation merged = ofSmallLog(0, 2);
        merged.merge(ofSmallLog(2, 4));
        EvaluationResult actual = merged.result(0.05);
        EvaluationResult expected = ofSmallLog(0, 4).result(0.05);
        assertThat(actual)
                .usingRecursiveComparison()
                .withComparatorForType(
                        (a, b) -> Math.abs(a - b) <= 1e-12 ? 0 : Double.compare(a, b), Double.class)
                .isEqualTo(expected);
    }

    @Test
    void evaluationsWithOtherSettingsAreRefusedUntouched() {
        PolicyEvaluation evaluation = ofSmallLog(0, 4);
        assertThatThrownBy(() -> evaluation.merge(new PolicyEvaluation(0.2, 0.5)))
                .hasMessageContaining("same smoothing");
        assertThatThrownBy(() -> evaluation.merge(new PolicyEvaluation(0.1, 1.0)))
                .hasMessageContaining("same propensityFloor");
        assertThatThrownBy(() -> evaluation.add(0.5, 0.5, 2.0))
                .hasMessageContaining("reward must be in [0, 1]");
        assertThatThrownBy(() -> evaluation.add(0.5, 0.0, 1.0))
                .hasMessageContaining("propensity must be in (0, 1]");
        assertThatThrownBy(() -> evaluation.add(0.5, 0.5, 1.0, 2.0, 0.0))
                .hasMessageContaining("modelledReward must be in [0, 1]");
        assertThat(evaluation.result(0.05)).isEqualTo(ofSmallLog(0, 4).result(0.05));
    }

    @Test
    void aDoublyRobustEstimateNeedsAModelledRewardOfEveryExample() {
        PolicyEvaluation evaluation = new PolicyEvaluation(0.2, 1.0);
        evaluation.add(0.5, 0.25, 1.0, 0.6, 0.7); // 0.7 + 2 · 0.4
        assertThat(evaluation.result(0.05).doublyRobust().orElseThrow().value())
                .isCloseTo(1.5, within(1e-15));
        evaluation.add(0.5, 0.25, 1.0);
        assertThat(evaluation.result(0.05).doublyRobust()).isEmpty();
    }

    @Test
    void takesAWholeLog() {
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.25, 1.0, 0));
        log.add(new LoggedExample(DenseVector.of(2.0f), 1, 0.5, 0.5, 0));
        PolicyEvaluation evaluation = new PolicyEvaluation(0.2, 1.0);
        evaluation.addAll(log, Policy.uniform(DenseModel.zeros(2, 1)));
        // weights 2 and 1: (2 + 0.5)/2
        assertThat(evaluation.result(0.05).ips().value()).isEqualTo(1.25);
        assertThatThrownBy(() -> evaluation.addAll(log, Policy.uniform(DenseModel.zeros(1, 1))))
                .hasMessage("example 1 logged action 1 but the policy has 1 actions");
        PolicyEvaluation robust = new PolicyEvaluation(0.2, 1.0);
        // Each fold is one example, and the other action's block stays at zero: q = 0.
        robust.addAll(
                log,
                Policy.uniform(DenseModel.zeros(2, 1)),
                CrossFittedRewardModel.fit(log, DenseModel.zeros(2, 1), 2, RidgeConfig.DEFAULT));
        assertThat(robust.result(0.05).doublyRobust()).isPresent();
    }

    @Test
    void aPolicyIsEvaluatedAmongTheActionsThatWereAllowed() {
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.25, 1.0, 0));
        log.add(
                new LoggedExample(
                        DenseVector.of(2.0f), AllowedActions.allBut(0, 3), 1, 0.5, 0.5, 0));
        PolicyEvaluation evaluation = new PolicyEvaluation(0.2, 1.0);
        evaluation.addAll(log, Policy.uniform(DenseModel.zeros(4, 1)));
        // π is 1/4 and then 1/2, so both weights are 1.
        assertThat(evaluation.result(0.05).ips().value()).isEqualTo(0.75);
    }

    @Test
    void withoutExamplesThereIsNoResult() {
        assertThatThrownBy(() -> new PolicyEvaluation(0.2, 1.0).result(0.05))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no examples to estimate a value from");
    }
}
