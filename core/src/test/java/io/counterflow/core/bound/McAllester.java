package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * McAllester's (2003) bound for a loss in [0, 1] ({@code eq:pac_bayes_theorem}).
 *
 * <p>With probability at least 1 − δ, for all posteriors Q at once: R(Q) ≤ R̂ + √(2 R̂ (KL(Q‖P) +
 * ln(n/δ))/(n−1)) + 2 (KL(Q‖P) + ln(n/δ))/(n−1). The prior P must be fixed before the data.
 */
final class McAllester {

    private McAllester() {}

    /**
     * The bound with its parts.
     *
     * @param empiricalRisk R̂, mean loss under the posterior, in [0, 1]
     * @param divergence KL(Q‖P), at least 0
     * @param examples n; a single one gives a vacuous bound
     */
    static RiskBound bound(double empiricalRisk, double divergence, long examples, double delta) {
        Require.share(empiricalRisk, "empiricalRisk");
        Require.atLeastZero(divergence, "divergence");
        Require.atLeast(1, examples, "examples");
        double confidence =
                StrictMath.log((double) examples) - StrictMath.log(Require.delta(delta));
        return RiskBound.of(empiricalRisk, 0.0, divergence, confidence, 2.0, examples);
    }
}
