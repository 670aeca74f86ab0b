package io.counterflow.core.numeric;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pearson's test of counts, at a level of 10<sup>−6</sup> for each comparison: the tests make some
 * hundreds of comparisons, so that a correct generator fails any of them with a probability below
 * 0.001.
 */
public final class ChiSquare {

    /** A standard normal exceeds it with probability 10^-6. */
    private static final double Z = 4.7534;

    /** Cells with a smaller expected count are pooled into one. */
    private static final double MIN_EXPECTED = 5.0;

    private ChiSquare() {}

    /** Asserts that counts come from these probabilities, and none from a probability of 0. */
    public static void assertFits(int[] counts, double[] probabilities, String description) {
        double n = 0.0;
        for (int count : counts) {
            n += count;
        }
        double statistic = 0.0;
        double pooledCount = 0.0;
        double pooledExpected = 0.0;
        int cells = 0;
        for (int k = 0; k < counts.length; k++) {
            double expected = n * probabilities[k];
            if (expected == 0.0) {
                assertThat(counts[k]).as("%s: cell %d of probability 0", description, k).isZero();
            } else if (expected < MIN_EXPECTED) {
                pooledCount += counts[k];
                pooledExpected += expected;
            } else {
                statistic += (counts[k] - expected) * (counts[k] - expected) / expected;
                cells++;
            }
        }
        if (pooledExpected > 0.0) {
            double difference = pooledCount - pooledExpected;
            statistic += difference * difference / Math.max(pooledExpected, 1.0);
            cells++;
        }
        assertThat(statistic)
                .as("%s: chi-square over %d cells", description, cells)
                .isLessThanOrEqualTo(criticalValue(cells - 1));
    }

    /** Asserts that two rows of counts of equal totals come from one distribution. */
    public static void assertSame(int[] one, int[] other, String description) {
        double statistic = 0.0;
        int cells = 0;
        for (int k = 0; k < one.length; k++) {
            double total = (double) one[k] + other[k];
            if (total > 0.0) {
                double difference = (double) one[k] - other[k];
                statistic += difference * difference / total;
                cells++;
            }
        }
        assertThat(statistic)
                .as("%s: two-sample chi-square over %d cells", description, cells)
                .isLessThanOrEqualTo(criticalValue(cells - 1));
    }

    /**
     * The quantile by Wilson and Hilferty, up to a seventh too large for few degrees of freedom; 0
     * degrees leave only rounding.
     */
    static double criticalValue(int degrees) {
        if (degrees < 1) {
            return 1e-9;
        }
        double spread = 2.0 / (9.0 * degrees);
        double root = 1.0 - spread + Z * Math.sqrt(spread);
        return degrees * root * root * root;
    }
}
