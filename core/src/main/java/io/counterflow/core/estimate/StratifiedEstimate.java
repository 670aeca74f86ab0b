package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One estimate from the logs of several logging policies: a mean of w r per policy version,
 * combined with weights proportional to n<sub>k</sub>/q<sub>k</sub>, where q<sub>k</sub> is the
 * mean of w².
 *
 * <p>The log of a policy that is similar to the target has small squared weights and counts for
 * more. Rewards play no part in the weights: a version with few rewards by chance would have both a
 * low mean and a low variance, and weights by inverse variance would bias the estimate towards zero
 * (by three quarters for rewards of 2 % and 1,000 examples per version).
 *
 * <p>The q of a small stratum is uncertain, so it is taken as if {@value #PSEUDO_COUNT} more
 * examples had the mean of w² of all strata, and likewise the variance v for the standard error. A
 * single stratum is not affected.
 */
public final class StratifiedEstimate implements ValueEstimate {

    private static final int PSEUDO_COUNT = 10;

    /** Versions in ascending order, and their examples at the same positions. */
    private long[] versions = new long[0];

    private Sums[] strata = new Sums[0];

    /** The examples of one version. */
    private static final class Sums {
        private final RunningMoments terms = new RunningMoments();
        private double squaredWeights;
    }

    /**
     * Adds an example.
     *
     * @param weight w = π/p with the propensity of its own logging policy
     * @param reward r, in [0, 1]
     */
    public void add(long policyVersion, double weight, double reward) {
        Require.nonnegativeTerm(weight, "weight");
        Require.reward(reward);
        Sums stratum = stratum(policyVersion);
        stratum.terms.add(weight * reward);
        stratum.squaredWeights += weight * weight;
    }

    /** The sums of a version; allocates for a version's first example only. */
    private Sums stratum(long version) {
        int position = Arrays.binarySearch(versions, version);
        if (position >= 0) {
            return strata[position];
        }
        int at = -position - 1;
        int size = versions.length;
        long[] grownVersions = Arrays.copyOf(versions, size + 1);
        Sums[] grown = Arrays.copyOf(strata, size + 1);
        System.arraycopy(versions, at, grownVersions, at + 1, size - at);
        System.arraycopy(strata, at, grown, at + 1, size - at);
        grownVersions[at] = version;
        grown[at] = new Sums();
        versions = grownVersions;
        strata = grown;
        return grown[at];
    }

    /** The strata of all logging policies, by ascending version. */
    public List<Stratum> strata() {
        double meanSquare = meanSquare();
        double pooled = pooledVariance();
        double[] precisions = new double[versions.length];
        double total = 0.0;
        for (int k = 0; k < precisions.length; k++) {
            precisions[k] = precision(strata[k], meanSquare);
            total += precisions[k];
        }
        List<Stratum> all = new ArrayList<>(versions.length);
        for (int k = 0; k < precisions.length; k++) {
            RunningMoments terms = strata[k].terms;
            all.add(
                    new Stratum(
                            versions[k],
                            terms.count(),
                            terms.mean(),
                            variance(terms, pooled),
                            precisions[k] / total));
        }
        return List.copyOf(all);
    }

    /** Variance within strata; +∞ when no stratum has two examples. */
    private double pooledVariance() {
        double deviations = 0.0;
        long freedom = 0;
        for (Sums stratum : strata) {
            deviations += stratum.terms.squaredDeviations();
            freedom += stratum.terms.count() - 1;
        }
        return freedom == 0 ? Double.POSITIVE_INFINITY : deviations / freedom;
    }

    private static double variance(RunningMoments terms, double pooled) {
        return (terms.squaredDeviations() + PSEUDO_COUNT * pooled)
                / (terms.count() - 1 + PSEUDO_COUNT);
    }

    /** The mean of w² over all strata. */
    private double meanSquare() {
        double squares = 0.0;
        for (Sums stratum : strata) {
            squares += stratum.squaredWeights;
        }
        return squares / count();
    }

    /** n/q, relative to the mean of w² of all strata; n if all weights are zero. */
    private static double precision(Sums stratum, double meanSquare) {
        long n = stratum.terms.count();
        if (meanSquare == 0.0) {
            return n;
        }
        double ratio = (stratum.squaredWeights / meanSquare + PSEUDO_COUNT) / (n + PSEUDO_COUNT);
        return n / ratio;
    }

    @Override
    public long count() {
        long count = 0;
        for (Sums stratum : strata) {
            count += stratum.terms.count();
        }
        return count;
    }

    @Override
    public double value() {
        if (versions.length == 0) {
            throw new IllegalStateException("no examples to estimate a value from");
        }
        double value = 0.0;
        for (Stratum stratum : strata()) {
            value += stratum.weight() * stratum.mean();
        }
        return value;
    }

    /** √(Σ weight² v<sub>k</sub>/n<sub>k</sub>); +∞ when no stratum has two examples. */
    @Override
    public double standardError() {
        double sum = 0.0;
        for (Stratum stratum : strata()) {
            sum += stratum.weight() * stratum.weight() * (stratum.variance() / stratum.count());
        }
        return versions.length == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(sum);
    }

    /** Always empty: logging policies that follow one another depend on earlier rewards. */
    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.empty();
    }
}
