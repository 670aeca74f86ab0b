package io.counterflow.core.snapshot;

import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.numeric.Require;
import java.util.Optional;

/**
 * Estimates of the value of a frozen policy as it is served, and a bound on it, from the examples
 * that it was learned from.
 *
 * <p>The estimates are too optimistic, because the policy was learned from these examples; the
 * bound is not.
 *
 * @param estimates estimates of its value; those of a mixed logit are of the softmax of its mean
 * @param learnedFrom lower bound on its value; empty if none applies, for example with estimated
 *     propensities
 * @param delta the bound holds with probability at least 1 − δ
 * @param n number of examples
 * @param effectiveSampleSize Kish's effective sample size of the importance weights
 */
public record Certificate(
        Estimates estimates,
        Optional<LearnedFrom> learnedFrom,
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
     * A bound that holds although the policy was learned from the same examples.
     *
     * @param valueLowerBound lower bound on the value of the served policy, at least 0
     * @param smoothing λ
     * @param variance σ² of the posterior around the parameters times the inverse temperature
     * @param priorVariance σ₀² of the prior, at least σ²
     * @param divergence KL divergence between the two
     */
    public record LearnedFrom(
            double valueLowerBound,
            double smoothing,
            double variance,
            double priorVariance,
            double divergence) {
        public LearnedFrom {
            Require.finiteAtLeastZero(valueLowerBound, "valueLowerBound");
            Require.finiteAboveZero(smoothing, "smoothing");
            Require.finiteAboveZero(variance, "variance");
            Require.finiteAboveZero(priorVariance, "priorVariance");
            Require.finiteAtLeastZero(divergence, "divergence");
        }

        private static LearnedFrom of(ServedBound served) {
            return new LearnedFrom(
                    served.value(),
                    served.bound().smoothing(),
                    served.variance(),
                    served.priorVariance(),
                    served.bound().divergence());
        }
    }

    /**
     * The certificate of a policy on the log that it was learned from.
     *
     * @param result estimates of its value, from that log
     * @param served bound from the same log; empty if none holds
     */
    public static Certificate of(EvaluationResult result, Optional<ServedBound> served) {
        return new Certificate(
                new Estimates(
                        result.ips().value(),
                        result.truncatedIps().value(),
                        result.selfNormalized().value(),
                        result.logSmoothed().value(),
                        result.onPolicyMean().value()),
                served.filter(bound -> Double.isFinite(bound.bound().divergence()))
                        .map(LearnedFrom::of),
                result.delta(),
                result.n(),
                result.effectiveSampleSize());
    }

    public Certificate {
        Require.delta(delta);
        Require.atLeast(0, n, "n");
        Require.finiteAtLeastZero(effectiveSampleSize, "effectiveSampleSize");
    }
}
