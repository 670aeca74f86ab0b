package io.counterflow.core.objective;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Require;

/**
 * Weighted negative log-likelihood: −r ln π(a|x) / max(p, τ) ({@code eq:wnll_lpr}). Convex in the
 * scores.
 *
 * @param propensityFloor τ, the lower limit of the propensity
 */
record WeightedLogLoss(double propensityFloor) implements ExampleLoss {

    WeightedLogLoss {
        Require.propensityFloor(propensityFloor);
    }

    @Override
    public double coefficient(double propensity, double reward) {
        return ImportanceWeight.truncated(1.0, propensity, propensityFloor) * reward;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        return -coefficient * logProbability;
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return -coefficient;
    }
}
