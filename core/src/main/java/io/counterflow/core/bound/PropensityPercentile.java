package io.counterflow.core.bound;

import io.counterflow.core.log.ExampleLog;
import java.util.Arrays;

/**
 * A percentile of the logged propensities: a τ that depends on the data, as theorem 2 ({@code
 * th:pac_bayes_bound_allclipping}) allows and theorem 1 does not.
 *
 * <p>Uses the nearest-rank method: the result is the smallest propensity that is at least as large
 * as P percent of all propensities.
 */
public final class PropensityPercentile {

    private PropensityPercentile() {}

    /**
     * The percentile of a log's propensities.
     *
     * @param percentile P, in [0, 100]; 0 is the smallest propensity
     * @throws IllegalArgumentException if the log is empty
     */
    public static double of(ExampleLog log, double percentile) {
        double[] propensities = new double[log.size()];
        for (int i = 0; i < propensities.length; i++) {
            propensities[i] = log.propensity(i);
        }
        return of(propensities, percentile);
    }

    /**
     * The percentile of some propensities.
     *
     * @param propensities at least one. Not modified.
     * @param percentile P, in [0, 100]; 0 is the smallest propensity
     */
    public static double of(double[] propensities, double percentile) {
        if (!(percentile >= 0.0 && percentile <= 100.0)) {
            throw new IllegalArgumentException("percentile must be in [0, 100], got " + percentile);
        }
        if (propensities.length == 0) {
            throw new IllegalArgumentException("a percentile needs at least one propensity, got 0");
        }
        double[] sorted = propensities.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        int rank = (int) Math.ceil(percentile / 100.0 * n);
        return sorted[Math.min(n, Math.max(1, rank)) - 1];
    }
}
