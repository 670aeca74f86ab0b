package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;

/**
 * A probability by Monte Carlo, and how far off it may be.
 *
 * @param value the mean over the samples, in [0, 1]
 * @param standardError standard deviation of that mean, as estimated from the samples
 * @param samples how many were drawn
 */
record PropensityEstimate(double value, double standardError, int samples) {

    public PropensityEstimate {
        Require.share(value, "value");
        Require.share(standardError, "standardError");
        Require.atLeast(2, samples, "samples");
    }
}
