package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * A normal distribution of the parameters of a reward model, for storage. Immutable; arrays are
 * copied on input and output.
 *
 * <p>Arrays have a number for each parameter of the loop's model: weights action by action, then
 * biases. A variance of 0 stands for that of the prior.
 */
public final class RewardBelief {

    private final float[] means;
    private final float[] variances;
    private final double offsetWeight;
    private final double offsetVariance;

    /**
     * @param offsetWeight mean of α, the weight of the starting policy
     */
    public RewardBelief(
            float[] means, float[] variances, double offsetWeight, double offsetVariance) {
        Require.that(
                means.length == variances.length,
                "means and variances must be equally long, got %s and %s",
                means.length,
                variances.length);
        this.means = means.clone();
        this.variances = variances.clone();
        this.offsetWeight = Require.finite(offsetWeight, "offsetWeight");
        this.offsetVariance = Require.finiteAtLeastZero(offsetVariance, "offsetVariance");
    }

    /** The means; a copy. */
    public float[] means() {
        return means.clone();
    }

    /** The variances; a copy. */
    public float[] variances() {
        return variances.clone();
    }

    /** Number of parameters. */
    int size() {
        return means.length;
    }

    /** α. */
    public double offsetWeight() {
        return offsetWeight;
    }

    public double offsetVariance() {
        return offsetVariance;
    }

    @Override
    public String toString() {
        return "RewardBelief[" + means.length + " parameters]";
    }
}
