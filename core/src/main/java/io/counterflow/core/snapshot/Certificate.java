package io.counterflow.core.snapshot;

import java.util.OptionalDouble;

/**
 * What the data says about a frozen policy, and how surely.
 *
 * @param estimates estimates of its value
 * @param riskBound the paper's upper bound on its risk; empty where none applies
 * @param logSmoothedLowerBound lower bound on its value by logarithmic smoothing; empty where none
 *     applies
 * @param delta the bounds hold with probability at least 1 − δ
 * @param n number of examples that this rests on
 * @param effectiveSampleSize Kish's effective sample size of the importance weights
 */
public record Certificate(
        Estimates estimates,
        OptionalDouble riskBound,
        OptionalDouble logSmoothedLowerBound,
        double delta,
        long n,
        double effectiveSampleSize) {

    /**
     * Estimates of a policy's value, finite all of them.
     *
     * @param ips inverse propensity scoring
     * @param truncatedIps the same with propensities floored at τ
     * @param selfNormalized self-normalised
     * @param logSmoothed logarithmically smoothed
     * @param onPolicyMean mean reward under the logging policy
     */
    public record Estimates(
            double ips,
            double truncatedIps,
            double selfNormalized,
            double logSmoothed,
            double onPolicyMean) {
        public Estimates {
            requireFinite("ips", ips);
            requireFinite("truncatedIps", truncatedIps);
            requireFinite("selfNormalized", selfNormalized);
            requireFinite("logSmoothed", logSmoothed);
            requireFinite("onPolicyMean", onPolicyMean);
        }
    }

    public Certificate {
        riskBound.ifPresent(bound -> requireFinite("riskBound", bound));
        logSmoothedLowerBound.ifPresent(bound -> requireFinite("logSmoothedLowerBound", bound));
        if (!(delta > 0.0 && delta < 1.0)) {
            throw new IllegalArgumentException("delta must be in (0, 1), got " + delta);
        }
        if (n < 0) {
            throw new IllegalArgumentException("n must be at least 0, got " + n);
        }
        if (!(effectiveSampleSize >= 0.0 && effectiveSampleSize <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "effectiveSampleSize must be finite and at least 0, got "
                            + effectiveSampleSize);
        }
    }

    private static void requireFinite(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " must be finite, got " + value);
        }
    }
}
