package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * The constants of Bayesian counterfactual risk minimisation for mixed logits.
 *
 * @param examples n, at least 2
 * @param propensityFloor τ in (0, 1]
 * @param priorVariance σ<sub>0</sub>² &gt; 0
 * @param normBound B ≥ ‖φ(x, a)‖ for every logged context, measured or enforced
 * @param dimension D, the number of weights
 */
public record BayesianSetting(
        long examples,
        double propensityFloor,
        double priorVariance,
        double normBound,
        long dimension) {

    public BayesianSetting {
        Require.atLeast(2, examples, "examples");
        Require.propensityFloor(propensityFloor);
        Require.finiteAboveZero(priorVariance, "priorVariance");
        Require.nonnegativeTerm(normBound, "normBound"); // its square must be finite
        Require.atLeast(1, dimension, "dimension");
    }

    /**
     * exp(−σ²B²/2): the factor of the softmax of the mean in the lower bound on the mixed logit of
     * the lemma.
     */
    public double shrinkage(double variance) {
        return Exponential.exp(-0.5 * variance * normBound * normBound);
    }

    /** The weight of ‖μ − μ<sub>0</sub>‖² that the theory gives: 1/(σ<sub>0</sub>² τ (n−1)). */
    public double strength() {
        return 1.0 / (priorVariance * propensityFloor * (examples - 1.0));
    }

    /** The weight of −ln σ² that the theory gives: D/(τ (n−1)). */
    public double varianceWeight() {
        return dimension / (propensityFloor * (examples - 1.0));
    }

    /**
     * The convex objective ({@code eq:mixed_logit_bcrm_convex_objective}): WNLL-LPR with the
     * theory's strength, for biases as well. {@link #optimalVariance} belongs to it.
     */
    public Objective convexObjective() {
        return new FixedLossObjective(
                "bcrm-convex",
                new WeightedLogLoss(propensityFloor),
                strength(),
                Objective.Centre.PRIOR,
                true);
    }

    /**
     * The convex objective's posterior variance in closed form ({@code eq:optimal_variance}): min{
     * 2D / (B² τ (n−1)) · (mean of r/max(p, τ))⁻¹, σ<sub>0</sub>² }.
     *
     * <p>Without rewards or without features it is the variance of the prior.
     */
    public double optimalVariance(ExampleLog log) {
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            sum += log.reward(i) / Math.max(log.propensity(i), propensityFloor);
        }
        double mean = sum / log.size();
        double unconstrained = 2.0 * varianceWeight() / (normBound * normBound * mean);
        // A product of zero gives infinity, and the minimum is then the variance of the prior.
        return Math.min(unconstrained, priorVariance);
    }

    /**
     * The loss of the full objective for a given variance ({@code eq:mixed_logit_bcrm_objective}).
     * Coefficients of examples do not depend on the variance.
     */
    public ExampleLoss lossAt(double variance) {
        return new TruncatedIpsLoss(propensityFloor, shrinkage(variance));
    }

    /** The variance in (0, σ<sub>0</sub>²] that minimises the full objective for a given mean. */
    public double bestVariance(SamplePass pass) {
        BayesianObjective objective = new BayesianObjective(this);
        return objective.bestVariance(objective.meanValue(pass.log(), pass.logProbabilities()));
    }
}
