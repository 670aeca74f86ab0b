package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * The counters of a {@link RewardModelLearner}, for storage.
 *
 * @param examples number of examples so far
 * @param squaredNorms sum of ‖φ‖² of the first examples, for the prior
 * @param priorScore prior variance of the score of an action
 * @param meanReward mean of the rewards so far, in which old ones count less
 * @param meanExamples number of examples that it counts for
 * @param challengerExamples number of examples of the challenger
 * @param challengerGain log-loss of the champion minus that of the challenger, on those examples
 * @param replacements how often a challenger has replaced the champion
 */
public record RewardModelProgress(
        long examples,
        double squaredNorms,
        double priorScore,
        double meanReward,
        long meanExamples,
        long challengerExamples,
        double challengerGain,
        long replacements) {

    /** Before the first example. */
    static final RewardModelProgress START =
            new RewardModelProgress(
                    0,
                    0,
                    RewardModelLearner.PRIOR_SCORE,
                    RewardModelLearner.FIRST_MEAN_REWARD,
                    RewardModelLearner.FIRST_EXAMPLES,
                    0,
                    0,
                    0);

    public RewardModelProgress {
        Require.atLeast(0, examples, "examples");
        Require.atLeastZero(squaredNorms, "squaredNorms");
        Require.finiteAboveZero(priorScore, "priorScore");
        Require.that(
                meanReward >= 0.0 && meanReward <= 1.0,
                "meanReward must be in [0, 1], got %s",
                meanReward);
        Require.within(1, RewardModelLearner.MEAN_MEMORY, meanExamples, "meanExamples");
        Require.within(0, examples, challengerExamples, "challengerExamples");
        Require.finite(challengerGain, "challengerGain");
        Require.atLeast(0, replacements, "replacements");
    }
}
