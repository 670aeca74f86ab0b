package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * The mixed logit of the paper ({@code eq:sampler}, {@code eq:mixed_logit_policy}): weights w ~
 * N(μ, σ²I), Gumbel noise γ, and the action argmax w · φ(x, a) + γ<sub>a</sub>. Its probabilities
 *
 * <p>π<sub>Q</sub>(a|x) = E<sub>w</sub>[softmax<sub>w</sub>(a|x)]
 *
 * <p>have no closed form; they are estimated or bounded. Draws are exact, and cheap because only
 * the scores are drawn, not the weights: K normals for a {@link DenseModel}, at most K for a {@link
 * HashedModel}. A larger σ² explores more.
 *
 * @param mean μ, and the biases
 * @param variance σ², finite and at least 0; 0 is the softmax policy
 * @param biasesVary whether biases are drawn like weights, for bounds in which each bias is the
 *     weight of a constant feature 1; otherwise they are fixed. No effect on a model without biases
 */
record MixedLogit(LinearModel mean, double variance, boolean biasesVary) {

    /**
     * Up to this number of actions the K × K covariance is cheaper than a normal for every weight.
     */
    private static final int MAX_COVARIANCE = 256;

    public MixedLogit {
        Require.finiteAtLeastZero(variance, "variance");
    }

    /** With fixed biases. */
    public MixedLogit(LinearModel mean, double variance) {
        this(mean, variance, false);
    }

    /** How many actions there are to choose from, given these features. */
    public int actionCount(Features features) {
        return mean.actionCount(features);
    }

    /** Draws an action. The same random numbers give the same action. */
    public int draw(Features features, EventRandom random) {
        return draw(features, AllowedActions.ALL, random);
    }

    /** Draws one of the allowed actions: the highest of their noisy scores. */
    public int draw(Features features, AllowedActions allowed, EventRandom random) {
        return scores(features, allowed).draw(random);
    }

    /**
     * Estimates π<sub>Q</sub>(a|x) by the mean of the softmax over draws of the scores; without
     * Gumbel noise, over which the softmax is the exact mean.
     *
     * <p>The estimate is unbiased; its reciprocal is too large on average. It is independent of the
     * draw if its random numbers are, so a decision first draws and then estimates, from one
     * sequence.
     *
     * @param samples at least 2; four times as many halve the error
     */
    public PropensityEstimate propensity(
            Features features, int action, int samples, EventRandom random) {
        requireAction(features, action, AllowedActions.ALL);
        double[] averages = new double[actionCount(features)];
        double[] standardErrors = new double[averages.length];
        requireSamples(samples);
        scores(features, AllowedActions.ALL).average(samples, random, averages, standardErrors);
        return new PropensityEstimate(averages[action], standardErrors[action], samples);
    }

    /**
     * Bounds π<sub>Q</sub>(a|x) with the norm of these features as B, which is the tightest choice.
     */
    public PropensityBounds bounds(Features features, int action) {
        return bounds(features, AllowedActions.ALL, action, Math.sqrt(squaredNorm(features)));
    }

    /**
     * Bounds π<sub>Q</sub>(a|x) by the softmax π<sub>μ</sub>(a|x) of the mean parameters ({@code
     * lem:mixed_logit_mean_bounds}):
     *
     * <p>π<sub>μ</sub> exp(−σ²B²/2) ≤ π<sub>Q</sub> ≤ min(1, π<sub>μ</sub> exp(2σ²B²)).
     *
     * @param normBound B, at least the norm of these features, including the constant feature if
     *     biases vary
     */
    public PropensityBounds bounds(Features features, int action, double normBound) {
        // With a tolerance, because B² may have been rounded.
        if (!(normBound * normBound >= squaredNorm(features) * (1.0 - 0x1p-40))) {
            throw new IllegalArgumentException(
                    "normBound must be at least the norm of the features, got " + normBound);
        }
        return bounds(features, AllowedActions.ALL, action, normBound);
    }

    PropensityBounds bounds(
            Features features, AllowedActions allowed, int action, double normBound) {
        requireAction(features, action, allowed);
        return bounds(scores(features, allowed), action, normBound);
    }

    /** The same from known scores. */
    PropensityBounds bounds(MixedLogitScores scores, int action, double normBound) {
        double exponent = variance * normBound * normBound;
        double logProbability = scores.meanLogProbability(action);
        double lower = Math.min(1.0, Exponential.exp(logProbability - exponent / 2.0));
        double upper = Exponential.exp(Math.min(0.0, logProbability + 2.0 * exponent));
        return new PropensityBounds(lower, Math.min(1.0, Math.max(lower, upper)));
    }

    MixedLogitScores scores(Features features, AllowedActions allowed) {
        double[] means = new double[actionCount(features)];
        mean.scores(features, means);
        return new MixedLogitScores(means, noise(features), allowed);
    }

    private ScoreNoise noise(Features features) {
        double deviation = Math.sqrt(variance);
        if (!(features instanceof ActionFeatures phi)) {
            return new IndependentNoise(deviation * Math.sqrt(squaredNorm(features)));
        }
        return phi.actions() <= MAX_COVARIANCE
                ? new CovarianceNoise(phi, deviation)
                : new WeightNoise(phi, deviation);
    }

    /** The largest ‖φ(x, a)‖², with the constant feature of the biases if they vary. */
    double squaredNorm(Features features) {
        double constant = biasesVary && mean.biasCount() > 0 ? 1.0 : 0.0;
        return features.maxSquaredNorm() + constant;
    }

    private void requireAction(Features features, int action, AllowedActions allowed) {
        int actions = actionCount(features);
        if (action < 0 || action >= actions || !allowed.contains(action)) {
            throw new IllegalArgumentException(
                    "action must be one of the %d allowed of %d, got %d"
                            .formatted(allowed.count(actions), actions, action));
        }
    }

    static void requireSamples(int samples) {
        Require.atLeast(2, samples, "samples");
    }
}
