package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One estimate from the logs of several logging policies: a mean per policy version, combined with
 * weights proportional to n<sub>k</sub>/v<sub>k</sub>, the inverse variances of those means.
 *
 * <p>The log of a policy that is similar to the target has a small variance and gets a larger
 * weight. The state per version is a count, a mean and a sum of squared deviations.
 *
 * <p>Variances of small strata are uncertain: a stratum of three rewards that are all zero would
 * have v = 0 and get all the weight. So v<sub>k</sub> = (S<sub>k</sub> + c v̄)/(n<sub>k</sub> − 1 +
 * c), with S<sub>k</sub> the stratum's squared deviations, v̄ the variance pooled within strata and
 * c = {@value #PSEUDO_COUNT}: as if c more terms had the pooled variance. A single stratum is not
 * affected. When v̄ itself is zero or unknown, weights are proportional to n<sub>k</sub>. Skewed
 * terms cause a small bias towards zero: a stratum that has no large terms by chance has both a low
 * mean and a low variance.
 */
public final class StratifiedEstimate implements ValueEstimate {

    private static final int PSEUDO_COUNT = 10;

    /** Versions in ascending order, and their terms at the same positions. */
    private long[] versions = new long[0];

    private RunningMoments[] terms = new RunningMoments[0];

    /**
     * Adds the term of an example, such as w r with the propensity that its own logging policy
     * gave.
     */
    public void add(long policyVersion, double term) {
        if (!(Math.abs(term) <= Require.MAX_TERM)) {
            throw new IllegalArgumentException("term must be within 1e100 of 0, got " + term);
        }
        stratum(policyVersion).add(term);
    }

    /** The terms of a version; allocates for a version's first example only. */
    private RunningMoments stratum(long version) {
        int position = Arrays.binarySearch(versions, version);
        if (position >= 0) {
            return terms[position];
        }
        int at = -position - 1;
        int size = versions.length;
        long[] grownVersions = Arrays.copyOf(versions, size + 1);
        RunningMoments[] grownTerms = Arrays.copyOf(terms, size + 1);
        System.arraycopy(versions, at, grownVersions, at + 1, size - at);
        System.arraycopy(terms, at, grownTerms, at + 1, size - at);
        RunningMoments added = new RunningMoments();
        grownVersions[at] = version;
        grownTerms[at] = added;
        versions = grownVersions;
        terms = grownTerms;
        return added;
    }

    /** The strata of all logging policies, by ascending version. */
    public List<Stratum> strata() {
        double pooled = pooledVariance();
        double[] precisions = new double[versions.length];
        double total = 0.0;
        for (int k = 0; k < precisions.length; k++) {
            precisions[k] = precision(terms[k], pooled);
            total += precisions[k];
        }
        List<Stratum> strata = new ArrayList<>(versions.length);
        for (int k = 0; k < precisions.length; k++) {
            strata.add(
                    new Stratum(
                            versions[k],
                            terms[k].count(),
                            terms[k].mean(),
                            variance(terms[k], pooled),
                            precisions[k] / total));
        }
        return List.copyOf(strata);
    }

    /** v̄ = Σ S<sub>k</sub> / Σ (n<sub>k</sub> − 1); +∞ when no stratum has two examples. */
    private double pooledVariance() {
        double deviations = 0.0;
        long freedom = 0;
        for (RunningMoments stratum : terms) {
            deviations += stratum.squaredDeviations();
            freedom += stratum.count() - 1;
        }
        return freedom == 0 ? Double.POSITIVE_INFINITY : deviations / freedom;
    }

    private static double variance(RunningMoments stratum, double pooled) {
        return (stratum.squaredDeviations() + PSEUDO_COUNT * pooled)
                / (stratum.count() - 1 + PSEUDO_COUNT);
    }

    /** n/v, or n if the variance is zero or unknown. */
    private static double precision(RunningMoments stratum, double pooled) {
        boolean usable = pooled > 0.0 && pooled <= Double.MAX_VALUE;
        // The ratio to v̄ rather than v itself: a tiny variance must not overflow the sum.
        return usable ? stratum.count() / (variance(stratum, pooled) / pooled) : stratum.count();
    }

    @Override
    public long count() {
        long count = 0;
        for (RunningMoments stratum : terms) {
            count += stratum.count();
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

    /** Always empty: the weights depend on the data, so the terms are not independent. */
    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.empty();
    }
}
