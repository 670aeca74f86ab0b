package io.counterflow.experiments;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * Mean of the same measurement over trials.
 *
 * @param mean the mean
 * @param deviation sample standard deviation; 0 for a single trial
 * @param trials how many
 */
record Summary(double mean, double deviation, int trials) {

    private static final double OUTSIDE = 0.05;

    static Summary of(List<Double> values) {
        int n = values.size();
        Require.atLeast(1, n, "trials");
        double sum = 0.0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / n;
        double squares = 0.0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return new Summary(mean, n == 1 ? 0.0 : Math.sqrt(squares / (n - 1)), n);
    }

    /** Half the width of the 95 % confidence interval of the mean; NaN for a single trial. */
    double halfWidth() {
        return trials == 1
                ? Double.NaN
                : StudentT.critical(OUTSIDE, trials - 1) * deviation / Math.sqrt(trials);
    }
}
