package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * A lower bound on a policy's value by logarithmic smoothing, with its parts: V ≥ (exp((logSum −
 * divergence − confidenceTerm)/n) − 1)/λ.
 *
 * @param smoothing λ
 * @param examples n
 * @param logSum Σ ln(1 + λX), or its mean over the posterior
 * @param divergence KL(Q‖P); 0 for a policy fixed before the data
 * @param confidenceTerm ln(1/δ), or ln(Λ/δ) for the best of Λ values of λ
 */
public record ValueBound(
        double smoothing, long examples, double logSum, double divergence, double confidenceTerm) {

    public ValueBound {
        Require.finiteAboveZero(smoothing, "smoothing");
        Require.atLeast(1, examples, "examples");
        Require.finiteAtLeastZero(logSum, "logSum");
        Require.atLeastZero(divergence, "divergence");
        Require.finiteAtLeastZero(confidenceTerm, "confidenceTerm");
    }

    /** The bound; negative when vacuous, at least −1/λ. */
    public double total() {
        return value(logSum - divergence - confidenceTerm);
    }

    /** What the bound would be if δ cost nothing. */
    public double beforeConfidence() {
        return value(logSum - divergence);
    }

    /** What it would be if neither δ nor the divergence cost anything: the smoothed estimate. */
    public double beforeDivergence() {
        return value(logSum);
    }

    private double value(double sum) {
        // expm1 is accurate if the exponent is small.
        return StrictMath.expm1(sum / examples) / smoothing;
    }

    /** Whether the bound is vacuous: every value is at least zero. */
    public boolean vacuous() {
        return !(total() > 0.0);
    }

    /** 1 − total: an upper bound on the policy's risk. */
    public double riskUpperBound() {
        return 1.0 - total();
    }
}
