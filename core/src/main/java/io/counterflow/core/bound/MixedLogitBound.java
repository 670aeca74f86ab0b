package io.counterflow.core.bound;

/**
 * The paper's bounds on the risk of the mixed logit policy π<sub>Q</sub>, Q = N(μ, σ²I), in terms
 * of the softmax policy of its mean.
 *
 * <p>They speak about π<sub>Q</sub>, not about the softmax of μ itself, and hold for all μ and σ² ∈
 * (0, σ₀²] at once.
 */
public final class MixedLogitBound {

    private MixedLogitBound() {}

    /**
     * {@code eq:mean_param_emp_risk}: 1 − exp(−σ²B²/2) (1/n) Σ r ς<sub>μ</sub>(a|x)/max(p, τ),
     * which is never below the truncated risk of π<sub>Q</sub>.
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean, at least 0
     */
    public static double empiricalRisk(double truncatedIps, PosteriorGap gap) {
        Arguments.finiteAtLeastZero(truncatedIps, "truncatedIps");
        return 1.0 - gap.meanSoftmaxFactor() * truncatedIps;
    }

    /**
     * Theorem 3 ({@code th:mixed_logit_risk_bound}), for a prior and a τ fixed before the data: R ≤
     * R̂ + √((R̂ − 1 + 1/τ)(Γ + 2 ln(n/δ))/(τ(n−1))) + (Γ + 2 ln(n/δ))/(τ(n−1)), with R̂ of {@link
     * #empiricalRisk} and Γ of {@link GaussianKl#gamma}.
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound fixedPrior(
            double truncatedIps,
            PosteriorGap gap,
            double propensityFloor,
            long examples,
            double delta) {
        return bound(
                truncatedIps,
                gap,
                GaussianKl.gamma(gap),
                2.0 * (StrictMath.log((double) examples) - StrictMath.log(Arguments.delta(delta))),
                propensityFloor,
                examples);
    }

    /**
     * Theorem 4 ({@code th:data_dep_reg_risk_bound}), for a prior learned from the same log: as
     * theorem 3, with Γ̂ of {@link LearnedPrior#gamma} and 2 ln(2n/δ).
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean
     * @param gap between the posterior and the learned parameters
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound learnedPrior(
            double truncatedIps,
            PosteriorGap gap,
            LearnedPrior prior,
            double propensityFloor,
            long examples,
            double delta) {
        return bound(
                truncatedIps,
                gap,
                prior.gamma(gap, examples, delta),
                2.0 * (StrictMath.log(2.0 * examples) - StrictMath.log(Arguments.delta(delta))),
                propensityFloor,
                examples);
    }

    private static RiskBound bound(
            double truncatedIps,
            PosteriorGap gap,
            double gamma,
            double confidence,
            double propensityFloor,
            long examples) {
        double risk = empiricalRisk(truncatedIps, gap);
        TruncatedIpsBound.check(risk, gamma, propensityFloor, examples);
        return RiskBound.of(
                risk,
                1.0 / propensityFloor - 1.0,
                gamma,
                confidence,
                1.0 / propensityFloor,
                examples);
    }
}
