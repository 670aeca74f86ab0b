package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * The mixed logit of the paper ({@code eq:sampler}, {@code eq:mixed_logit_policy}): weights w ~
 * N(μ, σ²I), Gumbel noise γ, and the action argmax w · φ(x, a) + γ<sub>a</sub>. Its probabilities
 *
 * <p>π<sub>Q</sub>(a|x) = E<sub>w</sub>[softmax<sub>w</sub>(a|x)]
 *
 * <p>have no closed form; they are estimated or bounded. Draws are exact, and cheap because only
 * the scores are drawn, not the weights: K normals for a {@link DenseModel}, at most K for a {@link
 * HashedModel}. A larger σ² explores more.
 *
 * @param mean μ, and the biases, which are fixed
 * @param variance σ², finite and at least 0; 0 is the softmax policy
 */
record MixedLogit(LinearModel mean, double variance) {

    /**
     * Up to this number of actions the K × K covariance is cheaper than a normal for every weight.
     */
    private static final int MAX_COVARIANCE = 256;

    public MixedLogit {
        Require.finiteAtLeastZero(variance, "variance");
    }

    /** The scores of the allowed actions, to draw from and to estimate probabilities with. */
    MixedLogitScores scores(Features features, AllowedActions allowed) {
        double[] means = new double[mean.actionCount(features)];
        mean.scores(features, means);
        return new MixedLogitScores(means, noise(features), allowed);
    }

    private ScoreNoise noise(Features features) {
        double deviation = Math.sqrt(variance);
        if (!(features instanceof ActionFeatures phi)) {
            return new IndependentNoise(deviation * Math.sqrt(features.maxSquaredNorm()));
        }
        return phi.actions() <= MAX_COVARIANCE
                ? new CovarianceNoise(phi, deviation)
                : new WeightNoise(phi, deviation);
    }

    /**
     * Bounds π<sub>Q</sub>(a|x) by the softmax π<sub>μ</sub>(a|x) of the mean parameters ({@code
     * lem:mixed_logit_mean_bounds}):
     *
     * <p>π<sub>μ</sub> exp(−σ²B²/2) ≤ π<sub>Q</sub> ≤ min(1, π<sub>μ</sub> exp(2σ²B²)).
     *
     * @param normBound B, at least the norm of the features of the request
     */
    PropensityBounds bounds(MixedLogitScores scores, int action, double normBound) {
        double exponent = variance * normBound * normBound;
        double logProbability = scores.meanLogProbability(action);
        double lower = Math.min(1.0, Exponential.exp(logProbability - exponent / 2.0));
        double upper = Exponential.exp(Math.min(0.0, logProbability + 2.0 * exponent));
        return new PropensityBounds(lower, Math.min(1.0, Math.max(lower, upper)));
    }
}
