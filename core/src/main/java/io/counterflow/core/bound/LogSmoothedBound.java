package io.counterflow.core.bound;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Require;

/**
 * Lower bounds on a policy's value by logarithmic smoothing, over a grid of Λ values of λ that is
 * fixed before the data is seen.
 *
 * <p>X = w r ≥ 0 has mean V, so Π (1 + λX<sub>i</sub>)/(1 + λV) is a nonnegative martingale and
 * ever exceeds 1/δ with probability at most δ (Ville). The weights need no upper bound, and the
 * logging policy may depend on the past. Each λ gets δ/Λ and the best bound is taken. For one fixed
 * policy the mixture in {@link io.counterflow.core.confidence.LowerConfidenceSequence} is tighter;
 * this class also covers all posteriors at once. The state is two sums per λ.
 */
final class LogSmoothedBound {

    private final double[] grid;

    /** Σ ln(1 + λ π r/p) for each λ. */
    private final double[] fixedSums;

    /** Σ π ln(1 + λ r/p) for each λ. */
    private final double[] posteriorSums;

    private long count;

    /**
     * @param grid the λ, each finite and above 0. Copied.
     */
    public LogSmoothedBound(double... grid) {
        if (grid.length == 0) {
            throw new IllegalArgumentException("a bound needs at least one lambda, got 0");
        }
        for (double lambda : grid) {
            Require.smoothing(lambda);
        }
        this.grid = grid.clone();
        this.fixedSums = new double[grid.length];
        this.posteriorSums = new double[grid.length];
    }

    /**
     * Adds an example. Allocates nothing.
     *
     * @param targetProbability π(a|x) of the policy whose value is bounded; for {@link
     *     #allPosteriors} that of the softmax of the posterior's mean
     * @param propensity p, in (0, 1]
     * @param reward r, in [0, 1]
     */
    public void add(double targetProbability, double propensity, double reward) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        double inverse = ImportanceWeight.of(1.0, propensity);
        Require.reward(reward);
        count++;
        if (reward == 0.0) {
            return; // ln(1 + 0) in every sum
        }
        double probability = Math.min(targetProbability, 1.0);
        for (int j = 0; j < grid.length; j++) {
            fixedSums[j] += StrictMath.log1p(grid[j] * weight * reward);
            posteriorSums[j] += probability * StrictMath.log1p(grid[j] * inverse * reward);
        }
    }

    /**
     * For a policy fixed before the data: V ≥ (exp((Σ ln(1+λX<sub>i</sub>) − ln(Λ/δ))/n) − 1)/λ,
     * for the best λ.
     *
     * @throws IllegalArgumentException if there are no examples
     */
    public ValueBound fixedPolicy(double delta) {
        return best(fixedSums, 1.0, 0.0, delta);
    }

    /**
     * For a mixed logit policy learned from these data, with a prior fixed before them: V ≥
     * (exp((exp(−σ²B²/2) Σ ς<sub>μ</sub>(a|x) ln(1+λr/p) − KL(Q‖P) − ln(Λ/δ))/n) − 1)/λ, for the
     * best λ.
     *
     * <p>For a hypothesis h, ln(1 + λX(h)) = 1{h(x)=a} ln(1 + λr/p); its mean over Q has
     * π<sub>Q</sub>(a|x) in place of the indicator, by change of measure it costs KL(Q‖P), and
     * ln(1+λV) is concave in V. The lemma {@code lem:mixed_logit_mean_bounds} puts the softmax of
     * the mean, times exp(−σ²B²/2), in place of π<sub>Q</sub>. Holds for all posteriors at once.
     *
     * @throws IllegalArgumentException if there are no examples
     */
    public ValueBound allPosteriors(PosteriorGap gap, double delta) {
        return allPosteriors(gap.meanSoftmaxFactor(), GaussianKl.exact(gap), delta);
    }

    /**
     * The same for any Bayesian policy whose probabilities, or those within {@code factor} of them,
     * have been added.
     *
     * @param factor factor that turns the added probabilities into lower bounds on π<sub>Q</sub>,
     *     in [0, 1]; 1 when they are π<sub>Q</sub> itself
     * @param divergence KL(Q‖P) or an upper bound on it
     */
    public ValueBound allPosteriors(double factor, double divergence, double delta) {
        return best(posteriorSums, Require.share(factor, "factor"), divergence, delta);
    }

    private ValueBound best(double[] sums, double factor, double divergence, double delta) {
        double confidence = StrictMath.log(grid.length) - StrictMath.log(Require.delta(delta));
        ValueBound best = new ValueBound(grid[0], count, factor * sums[0], divergence, confidence);
        for (int j = 1; j < grid.length; j++) {
            ValueBound other =
                    new ValueBound(grid[j], count, factor * sums[j], divergence, confidence);
            best = other.total() > best.total() ? other : best;
        }
        return best;
    }
}
