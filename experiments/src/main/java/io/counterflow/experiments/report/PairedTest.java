package io.counterflow.experiments.report;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A paired t-test: tests whether two methods differ on the same trials.
 *
 * @param difference mean difference, first minus second
 * @param pValue probability of a difference at least this large if the methods are equal; NaN if
 *     there is only one trial or all differences are zero
 */
public record PairedTest(double difference, double pValue) {

    /** The significance level of the paper. */
    private static final double SIGNIFICANT = 0.05;

    /** Tests measurements of the same trials, in the same order. */
    public static PairedTest of(List<Double> first, List<Double> second) {
        if (first.size() != second.size()) {
            throw new IllegalArgumentException(
                    "pairs must be as many, got %d and %d".formatted(first.size(), second.size()));
        }
        List<Double> differences = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            differences.add(first.get(i) - second.get(i));
        }
        Summary summary = Summary.of(differences);
        if (summary.trials() == 1) {
            return new PairedTest(summary.mean(), Double.NaN);
        }
        double t = summary.mean() / (summary.deviation() / Math.sqrt(summary.trials()));
        return new PairedTest(summary.mean(), twoSided(t, summary.trials() - 1));
    }

    /** P(|T| &gt; |t|) of Student's t distribution; NaN if t is NaN. */
    static double twoSided(double t, int degrees) {
        return 2.0 * TDistribution.of(degrees).survivalProbability(Math.abs(t));
    }

    public boolean isSignificant() {
        return pValue < SIGNIFICANT;
    }
}
