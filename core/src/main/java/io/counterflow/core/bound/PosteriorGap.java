package io.counterflow.core.bound;

import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;

/**
 * The numbers that the theory needs about a posterior N(μ, σ²I) and a prior N(μ₀, σ₀²I) over the D
 * parameters of a mixed logit policy.
 *
 * <p><b>Biases.</b> The paper's analysis has none. If policy and prior have the same biases, these
 * are constants of the hypothesis space, h(x) = argmax θ·φ(x, a) + b<sub>a</sub> + γ<sub>a</sub>,
 * and every proof remains valid. If they differ, each bias is treated as the weight of an
 * additional feature that is always 1: D grows by the number of biases, B² by 1, and the squared
 * distance by that of the biases. {@link #between} does so.
 *
 * <p><b>B.</b> In the risk bounds the lemma {@code lem:mixed_logit_mean_bounds} is applied to the
 * logged contexts only, so the largest ‖φ‖ measured on the log is sufficient there. {@link
 * SoftmaxLipschitz} needs a B that holds for all contexts.
 *
 * @param squaredDistance ‖μ − μ₀‖²
 * @param dimension D, at least 1
 * @param normBound B, with ‖φ(x, a)‖ ≤ B
 * @param priorVariance σ₀², above 0
 * @param variance σ², in (0, σ₀²]
 */
public record PosteriorGap(
        double squaredDistance,
        long dimension,
        double normBound,
        double priorVariance,
        double variance) {

    public PosteriorGap {
        Require.finiteAtLeastZero(squaredDistance, "squaredDistance");
        Require.atLeast(1, dimension, "dimension");
        Require.finiteAtLeastZero(normBound, "normBound");
        Require.finiteAboveZero(priorVariance, "priorVariance");
        if (!(variance > 0.0 && variance <= priorVariance)) {
            throw new IllegalArgumentException(
                    "variance must be in (0, priorVariance] = (0, %s], got %s"
                            .formatted(priorVariance, variance));
        }
    }

    /**
     * The gap between two policies of the same shape, with biases treated as described above.
     *
     * @param measuredFeatureNorm the largest ‖φ(x, a)‖, without any constant feature
     */
    public static PosteriorGap between(
            LinearModel policy,
            LinearModel prior,
            double measuredFeatureNorm,
            double priorVariance,
            double variance) {
        Require.finiteAtLeastZero(measuredFeatureNorm, "measuredFeatureNorm");
        double squaredDistance = policy.squaredDistance(prior);
        double squaredBiasDistance = policy.squaredBiasDistance(prior);
        if (squaredBiasDistance == 0.0) {
            return new PosteriorGap(
                    squaredDistance,
                    policy.weightCount(),
                    measuredFeatureNorm,
                    priorVariance,
                    variance);
        }
        return new PosteriorGap(
                squaredDistance + squaredBiasDistance,
                policy.weightCount() + policy.biasCount(),
                StrictMath.hypot(measuredFeatureNorm, 1.0),
                priorVariance,
                variance);
    }

    /**
     * exp(−σ²B²/2): the mean softmax times this is at most the mixed logit's probability ({@code
     * eq:mixed_logit_mean_bounds}). 0 if σ²B² is beyond the range of a double.
     */
    public double meanSoftmaxFactor() {
        double scale = Math.sqrt(variance) * normBound; // B² alone might overflow
        return Exponential.exp(-0.5 * scale * scale);
    }
}
