package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * The paper's bounds on the risk of the mixed logit policy π<sub>Q</sub>, Q = N(μ, σ²I), in terms
 * of the softmax policy of its mean.
 *
 * <p>The bounds are about π<sub>Q</sub>, not about the softmax of μ, and hold for all μ and σ² ∈
 * (0, σ₀²] at once. Each exists in two forms: for a τ fixed before the data, based on theorem 1,
 * and for all τ at once, based on theorem 2.
 */
final class MixedLogitBound {

    private MixedLogitBound() {}

    /**
     * {@code eq:mean_param_emp_risk}: 1 − exp(−σ²B²/2) (1/n) Σ r ς<sub>μ</sub>(a|x)/max(p, τ),
     * which is never below the truncated risk of π<sub>Q</sub>.
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean, at least 0
     */
    public static double empiricalRisk(double truncatedIps, PosteriorGap gap) {
        Require.finiteAtLeastZero(truncatedIps, "truncatedIps");
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
        double gamma = GaussianKl.gamma(gap);
        return fixedFloor(truncatedIps, gap, gamma, propensityFloor, examples, delta);
    }

    /**
     * Theorem 3 on top of theorem 2, for a τ that may come from the data: R ≤ R̂ + √(2 (R̂ − 1 +
     * 2/τ)(Γ + 2 ln(2n/(δτ)))/(τ(n−1))) + 2 (Γ + 2 ln(2n/(δτ)))/(τ(n−1)).
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound fixedPriorAnyFloor(
            double truncatedIps,
            PosteriorGap gap,
            double propensityFloor,
            long examples,
            double delta) {
        double gamma = GaussianKl.gamma(gap);
        return anyFloor(truncatedIps, gap, gamma, propensityFloor, examples, delta);
    }

    /**
     * Theorem 4 ({@code th:data_dep_reg_risk_bound}), for a prior learned from the same log: as
     * theorem 3, with Γ̂ of {@link LearnedPrior#gamma} and 2 ln(2n/δ), because half of δ is used
     * for the prior.
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
        double gamma = prior.gamma(gap, examples, delta);
        return fixedFloor(truncatedIps, gap, gamma, propensityFloor, examples, delta / 2.0);
    }

    /**
     * Theorem 4 on top of theorem 2, for a τ that may come from the data: as {@link
     * #fixedPriorAnyFloor}, with Γ̂ and δ/2.
     *
     * @param truncatedIps the truncated IPS value of the softmax policy of the mean
     * @param gap between the posterior and the learned parameters
     * @param examples n; a single one gives a vacuous bound
     */
    public static RiskBound learnedPriorAnyFloor(
            double truncatedIps,
            PosteriorGap gap,
            LearnedPrior prior,
            double propensityFloor,
            long examples,
            double delta) {
        double gamma = prior.gamma(gap, examples, delta);
        return anyFloor(truncatedIps, gap, gamma, propensityFloor, examples, delta / 2.0);
    }

    private static RiskBound fixedFloor(
            double truncatedIps,
            PosteriorGap gap,
            double gamma,
            double propensityFloor,
            long examples,
            double delta) {
        return inGammas(
                gamma,
                TruncatedIpsBound.fixedFloor(
                        empiricalRisk(truncatedIps, gap),
                        gamma / 2.0,
                        propensityFloor,
                        examples,
                        delta));
    }

    private static RiskBound anyFloor(
            double truncatedIps,
            PosteriorGap gap,
            double gamma,
            double propensityFloor,
            long examples,
            double delta) {
        return inGammas(
                gamma,
                TruncatedIpsBound.anyFloor(
                        empiricalRisk(truncatedIps, gap),
                        gamma / 2.0,
                        propensityFloor,
                        examples,
                        delta));
    }

    /** Γ bounds twice the KL divergence, so the term that is added to it is doubled as well. */
    private static RiskBound inGammas(double gamma, RiskBound bound) {
        return new RiskBound(
                bound.empiricalRisk(),
                gamma,
                2.0 * bound.confidenceTerm(),
                bound.squareRootTerm(),
                bound.linearTerm());
    }
}
