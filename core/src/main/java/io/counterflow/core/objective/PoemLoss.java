package io.counterflow.core.objective;

import io.counterflow.core.numeric.Exponential;

/**
 * One example's share of POEM's majorised objective: A u + B u², with u = −r min(π(a|x)/p, 1/τ).
 *
 * <p>{@link PoemObjective} computes A and B at the start of each epoch.
 *
 * @param maxWeight 1/τ: caps the ratio π/p
 * @param linear A
 * @param quadratic B
 */
record PoemLoss(double maxWeight, double linear, double quadratic) implements ExampleLoss {

    @Override
    public double coefficient(double propensity, double reward) {
        return reward;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        double u = -coefficient * weight(propensity, Exponential.exp(logProbability));
        return linear * u + quadratic * u * u;
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        double ratio = probability / propensity;
        if (ratio >= maxWeight) {
            return 0.0; // a capped ratio does not depend on the policy
        }
        double u = -coefficient * ratio;
        return (linear + 2.0 * quadratic * u) * u;
    }

    /** min(π/p, 1/τ). */
    double weight(double propensity, double probability) {
        return Math.min(probability / propensity, maxWeight);
    }
}
