package io.counterflow.experiments.report;

import io.counterflow.core.numeric.Require;
import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Mean and deviation of a measurement over trials.
 *
 * @param mean the mean
 * @param deviation sample standard deviation; 0 for a single trial
 * @param trials number of trials
 */
public record Summary(double mean, double deviation, int trials) {

    private static final double OUTSIDE = 0.05;

    public static Summary of(List<Double> values) {
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

    /** The two-sided critical value of Student's t distribution. */
    static double critical(int degrees) {
        return TDistribution.of(degrees).inverseSurvivalProbability(OUTSIDE / 2.0);
    }

    /** Half the width of the 95 % confidence interval of the mean; NaN for a single trial. */
    public double halfWidth() {
        return trials == 1 ? Double.NaN : critical(trials - 1) * deviation / Math.sqrt(trials);
    }
}
