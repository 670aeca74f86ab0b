package io.counterflow.core.snapshot;

import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.numeric.Require;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Estimates and bounds on the value of a frozen policy.
 *
 * @param riskBound the paper's upper bound on its risk, exploration floor included; empty if none
 *     applies
 * @param logSmoothedLowerBound lower bound on its value by logarithmic smoothing, exploration floor
 *     included; empty if none applies
 * @param delta the bounds hold with probability at least 1 − δ
 * @param n number of examples
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
            Require.finite(ips, "ips");
            Require.finite(truncatedIps, "truncatedIps");
            Require.finite(selfNormalized, "selfNormalized");
            Require.finite(logSmoothed, "logSmoothed");
            Require.finite(onPolicyMean, "onPolicyMean");
        }
    }

    /**
     * The certificate of a policy on a log.
     *
     * @param result estimates of its value, from that log
     * @param bounds bounds from the same log; empty if none holds, for example with estimated
     *     propensities
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

    /** An infinite bound is vacuous, and JSON has no number for it. */
    private static OptionalDouble ifFinite(Optional<Double> bound) {
        return bound.filter(Double::isFinite)
                .map(OptionalDouble::of)
                .orElse(OptionalDouble.empty());
    }

    public Certificate {
        riskBound.ifPresent(bound -> Require.finite(bound, "riskBound"));
        logSmoothedLowerBound.ifPresent(bound -> Require.finite(bound, "logSmoothedLowerBound"));
        Require.delta(delta);
        Require.atLeast(0, n, "n");
        Require.finiteAtLeastZero(effectiveSampleSize, "effectiveSampleSize");
    }
}
