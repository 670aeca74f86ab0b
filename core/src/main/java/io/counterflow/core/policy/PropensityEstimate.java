package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;

/**
 * A Monte Carlo estimate of a probability, with its standard error.
 *
 * @param value the mean over the samples, in [0, 1]
 * @param standardError standard deviation of that mean, estimated from the samples
 * @param samples number of samples
 */
record PropensityEstimate(double value, double standardError, int samples) {

    public PropensityEstimate {
        Require.share(value, "value");
        Require.share(standardError, "standardError");
        Require.atLeast(2, samples, "samples");
    }
}
