package io.counterflow.core.bound;

/**
 * The KL divergence from a prior N(μ₀, σ₀²I) to a posterior N(μ, σ²I). The Gumbel parts of the
 * hypotheses are the same on both sides and cancel.
 *
 * <p>The result is +∞ if it exceeds the range of a double.
 */
public final class GaussianKl {

    private GaussianKl() {}

    /** {@code eq:kl_div_isotropic_gaussians}: ‖μ−μ₀‖²/(2σ₀²) + (D/2)(ln(σ₀²/σ²) + σ²/σ₀² − 1). */
    public static double exact(PosteriorGap gap) {
        double ratio = gap.variance() / gap.priorVariance();
        double perDimension = logVarianceRatio(gap) + (ratio - 1.0);
        // At least zero by −ln u ≥ 1 − u; rounding must not make it negative.
        return gap.squaredDistance() / gap.priorVariance() / 2.0
                + gap.dimension() / 2.0 * Math.max(0.0, perDimension);
    }

    /** {@code eq:kl_div_bound}: ‖μ−μ₀‖²/(2σ₀²) + (D/2) ln(σ₀²/σ²), at least the exact one. */
    public static double upperBound(PosteriorGap gap) {
        return gamma(gap) / 2.0;
    }

    /** Γ of {@code eq:mixed_logit_kl_bound}: ‖μ−μ₀‖²/σ₀² + D ln(σ₀²/σ²), twice the upper bound. */
    public static double gamma(PosteriorGap gap) {
        return gap.squaredDistance() / gap.priorVariance()
                + gap.dimension() * logVarianceRatio(gap);
    }

    /** ln(σ₀²/σ²), as a difference: the ratio itself may overflow. */
    static double logVarianceRatio(PosteriorGap gap) {
        return Math.max(0.0, StrictMath.log(gap.priorVariance()) - StrictMath.log(gap.variance()));
    }
}
