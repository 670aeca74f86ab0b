package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * The paper's bounds on the risk of a Bayesian policy π<sub>Q</sub> by its truncated IPS estimate.
 *
 * <p>R̂<sub>τ</sub> = 1 − (1/n) Σ r π<sub>Q</sub>(a|x)/max(p, τ) lies in [1 − 1/τ, 1]. Both hold
 * for all posteriors Q at once, with a prior P fixed before the data; the prior may be the logging
 * policy. Both are stated for τ below one; their proofs hold for τ = 1 as well.
 */
final class TruncatedIpsBound {

    private static final double ROUNDING = 1e-9;

    private TruncatedIpsBound() {}

    /**
     * Theorem 1 ({@code th:pac_bayes_bound}), for a τ fixed before the data: R ≤ R̂<sub>τ</sub> +
     * √(2 (R̂<sub>τ</sub> − 1 + 1/τ)(KL + ln(n/δ))/(τ(n−1))) + 2 (KL + ln(n/δ))/(τ(n−1)).
     *
     * @param empiricalRisk R̂<sub>τ</sub>, one minus the truncated IPS value
     * @param divergence KL(Q‖P) or an upper bound on it
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound fixedFloor(
            double empiricalRisk,
            double divergence,
            double propensityFloor,
            long examples,
            double delta) {
        check(empiricalRisk, divergence, propensityFloor, examples);
        double confidence =
                StrictMath.log((double) examples) - StrictMath.log(Require.delta(delta));
        return RiskBound.of(
                empiricalRisk,
                1.0 / propensityFloor - 1.0,
                divergence,
                confidence,
                2.0 / propensityFloor,
                examples);
    }

    /**
     * Theorem 2 ({@code th:pac_bayes_bound_allclipping}), for all τ at once, so that τ may come
     * from the data, such as a {@link PropensityPercentile}: R ≤ R̂<sub>τ</sub> + √(4
     * (R̂<sub>τ</sub> − 1 + 2/τ)(KL + ln(2n/(δτ)))/(τ(n−1))) + 4 (KL + ln(2n/(δτ)))/(τ(n−1)).
     *
     * @param empiricalRisk R̂<sub>τ</sub>, one minus the truncated IPS value
     * @param divergence KL(Q‖P) or an upper bound on it
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound anyFloor(
            double empiricalRisk,
            double divergence,
            double propensityFloor,
            long examples,
            double delta) {
        check(empiricalRisk, divergence, propensityFloor, examples);
        double confidence =
                StrictMath.log(2.0 * examples)
                        - StrictMath.log(Require.delta(delta))
                        - StrictMath.log(propensityFloor);
        return RiskBound.of(
                empiricalRisk,
                2.0 / propensityFloor - 1.0,
                divergence,
                confidence,
                4.0 / propensityFloor,
                examples);
    }

    private static void check(
            double empiricalRisk, double divergence, double propensityFloor, long examples) {
        Require.propensityFloor(propensityFloor);
        double smallest = 1.0 - 1.0 / propensityFloor;
        double rounding = ROUNDING / propensityFloor;
        if (!(empiricalRisk >= smallest - rounding && empiricalRisk <= 1.0 + rounding)) {
            throw new IllegalArgumentException(
                    "empiricalRisk must be in [1 - 1/propensityFloor, 1] = [%s, 1], got %s"
                            .formatted(smallest, empiricalRisk));
        }
        Require.atLeastZero(divergence, "divergence");
        Require.atLeast(1, examples, "examples");
    }
}
