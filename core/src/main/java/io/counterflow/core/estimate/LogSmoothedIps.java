package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;

/**
 * Logarithmic smoothing (Sakhi, Aouali, Alquier and Chopin 2024): the mean of ln(1 + λ w r)/λ with
 * w = π(a|x)/p.
 *
 * <p>As λ → 0 it is {@link Ips}. A larger λ reduces the influence of large weights and biases the
 * estimate towards zero. {@link #defaultSmoothing} is a good default.
 */
public final class LogSmoothedIps extends MeanEstimator<LogSmoothedIps> {

    private final double smoothing;

    /**
     * @param smoothing λ, above 0
     */
    public LogSmoothedIps(double smoothing) {
        this.smoothing = Require.smoothing(smoothing);
    }

    /** λ = 1/√n: bias and deviation shrink at the same rate. */
    public static double defaultSmoothing(long examples) {
        Require.atLeast(1, examples, "examples");
        return 1.0 / Math.sqrt((double) examples);
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        return StrictMath.log1p(smoothing * weight * reward) / smoothing;
    }

    @Override
    void requireSameSettings(LogSmoothedIps other) {
        requireEqual("smoothing", smoothing, other.smoothing);
    }
}
