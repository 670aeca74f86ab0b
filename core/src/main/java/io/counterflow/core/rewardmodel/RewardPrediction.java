package io.counterflow.core.rewardmodel;

/**
 * What a reward model expects of an action.
 *
 * @param logOdds mean of the log-odds of a reward of 1
 * @param variance their variance, as far as the parameters are uncertain
 */
public record RewardPrediction(double logOdds, double variance) {

    /** The expected reward at the mean of the parameters. */
    public double reward() {
        return LogisticBelief.probability(logOdds);
    }

    /** The expected reward at log-odds that are lower by some standard deviations. */
    public double lowerReward(double deviations) {
        return LogisticBelief.probability(logOdds - deviations * Math.sqrt(variance));
    }
}
