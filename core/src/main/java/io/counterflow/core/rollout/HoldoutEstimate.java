package io.counterflow.core.rollout;

import io.counterflow.core.estimate.Interval;

/**
 * The measured gain of a loop over its baseline version. All intervals hold together, at every
 * moment, with probability at least 1 − δ.
 *
 * @param baselineVersion the version that decided the holdout
 * @param sinceMs time of the first example, in milliseconds since 1970
 * @param holdout the events of the holdout
 * @param rest the other events
 * @param gain interval of the mean reward of the rest minus that of the holdout
 */
public record HoldoutEstimate(
        long baselineVersion, long sinceMs, Group holdout, Group rest, Interval gain) {

    /** Number and mean reward of some events, with the interval of the mean. */
    public record Group(long n, double mean, Interval interval) {}

    /** The estimated gain. */
    public double value() {
        return rest.mean() - holdout.mean();
    }
}
