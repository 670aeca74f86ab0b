package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * Settings of a {@link RewardModelLearner}.
 *
 * @param priorScore prior variance of the score of an action of average features. The prior
 *     variance of a weight is this divided by the mean of ‖φ‖², so that the units of features do
 *     not matter. A larger value learns faster and is less careful
 * @param maxExamples a policy is frozen after this many examples at the latest
 */
public record RewardModelConfig(double priorScore, int maxExamples) {

    public static final RewardModelConfig DEFAULT = new RewardModelConfig(2.0, 2_000);

    public RewardModelConfig {
        Require.finiteAboveZero(priorScore, "priorScore");
        Require.atLeast(1, maxExamples, "maxExamples");
    }
}
