package io.counterflow.core.snapshot;

import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the data says about a frozen policy, and how surely.
 *
 * @param estimates estimates of its value
 * @param riskBound the paper's upper bound on its risk, exploration floor included; empty where
 *     none applies
 * @param logSmoothedLowerBound lower bound on its value by logarithmic smoothing, exploration floor
 *     included; empty where none applies
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
     * Estimates of a policy's value; all are finite.
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

    /**
     * What a log says of a policy.
     *
     * @param result estimates of its value, from that log
     * @param bounds bounds from the same log; empty where none holds, as with propensities that are
     *     themselves estimated
     */
    public static Certificate of(EvaluationResult result, Optional<PolicyBounds> bounds) {
        return new Certificate(
                new Estimates(
                        result.ips().value(),
                        result.truncatedIps().value(),
                        result.selfNormalized().value(),
                        result.logSmoothed().value(),
                        result.onPolicyMean().value()),
                ifFinite(bounds.map(PolicyBounds::servedRisk)),
                ifFinite(bounds.map(PolicyBounds::servedValue)),
                result.delta(),
                result.n(),
                result.effectiveSampleSize());
    }

    /** A bound that is infinite says nothing, and a record has no number for it. */
    private static OptionalDouble ifFinite(Optional<Double> bound) {
        return bound.filter(Double::isFinite)
                .map(OptionalDouble::of)
                .orElse(OptionalDouble.empty());
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
