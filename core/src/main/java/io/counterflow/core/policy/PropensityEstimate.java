package io.counterflow.core.policy;

/**
 * A probability by Monte Carlo, and how far off it may be.
 *
 * @param value the mean over the samples, in [0, 1]
 * @param standardError standard deviation of that mean, as estimated from the samples
 * @param samples how many were drawn
 */
public record PropensityEstimate(double value, double standardError, int samples) {

    public PropensityEstimate {
        if (!(value >= 0.0 && value <= 1.0)) {
            throw new IllegalArgumentException("value must be in [0, 1], got " + value);
        }
        if (!(standardError >= 0.0 && standardError <= 1.0)) {
            throw new IllegalArgumentException(
                    "standardError must be in [0, 1], got " + standardError);
        }
        if (samples < 2) {
            throw new IllegalArgumentException("samples must be at least 2, got " + samples);
        }
    }
}
