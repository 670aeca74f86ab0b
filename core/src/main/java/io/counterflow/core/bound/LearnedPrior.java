package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * Describes how a prior mean was learned from the same log ({@code eq:rerm}): θ̂ minimises (1/n) Σ
 * ℓ(θ, x, a) + λ‖θ‖², with ℓ convex and Lipschitz.
 *
 * <p>The penalty must cover every parameter. A bias without a penalty is not stable when one
 * example changes, and the theorem does not hold. Biases are therefore treated as weights of a
 * constant feature 1, with the same penalty and a larger B. The minimum need not be reached: the
 * objective is 2λ-strongly convex, so θ̂ is at most g/(2λ) away from parameters at which the
 * gradient has norm g. This distance is added.
 *
 * @param regularization λ, above 0
 * @param lipschitz β of the loss, by {@link SoftmaxLipschitz}
 * @param gradientNorm g, norm of the objective's gradient at the learned parameters; 0 at the
 *     minimum itself
 */
record LearnedPrior(double regularization, double lipschitz, double gradientNorm) {

    public LearnedPrior {
        Require.finiteAboveZero(regularization, "regularization");
        Require.finiteAtLeastZero(lipschitz, "lipschitz");
        Require.finiteAtLeastZero(gradientNorm, "gradientNorm");
    }

    /** A prior at the minimum of its objective. */
    public LearnedPrior(double regularization, double lipschitz) {
        this(regularization, lipschitz, 0.0);
    }

    /**
     * How far the learned parameters are from the expected ones, with probability at least 1 − δ/2
     * ({@code eq:rerm_concentration}): (β/λ) √(2 ln(4/δ)/n) + g/(2λ).
     */
    public double radius(long examples, double delta) {
        double log = StrictMath.log(4.0 / Require.delta(delta));
        return lipschitz
                        / regularization
                        * Math.sqrt(2.0 * log / Require.atLeast(1, examples, "examples"))
                + gradientNorm / (2.0 * regularization);
    }

    /**
     * Γ̂ of {@code eq:data_dep_reg_kl_bound}: (‖μ−θ̂‖ + radius)²/σ₀² + D ln(σ₀²/σ²).
     *
     * @param gap between the posterior and the learned parameters
     */
    public double gamma(PosteriorGap gap, long examples, double delta) {
        double distance = Math.sqrt(gap.squaredDistance()) + radius(examples, delta);
        double shrunk = distance / Math.sqrt(gap.priorVariance());
        return shrunk * shrunk + gap.dimension() * GaussianKl.logVarianceRatio(gap);
    }
}
