package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Inverse propensity scoring ({@code eq:emp_risk}): the mean of r π(a|x)/p, which is one minus the
 * paper's empirical risk.
 *
 * <p>Unbiased if the logging policy gives every action of the target a positive probability; its
 * variance is unbounded. The range of its terms is known only if the largest possible weight is
 * given: with an exploration floor ε over K actions, no weight exceeds K/ε.
 */
final class Ips extends MeanEstimator<Ips> {

    private final double maxWeight;

    /** Without a bound on the weights, and therefore without an empirical Bernstein interval. */
    public Ips() {
        this.maxWeight = Double.POSITIVE_INFINITY;
    }

    /** With a known bound on the weights. An example above the bound is refused. */
    public Ips(double maxWeight) {
        if (!(maxWeight > 0.0 && maxWeight <= Require.MAX_TERM)) {
            throw new IllegalArgumentException("maxWeight must be in (0, 1e100], got " + maxWeight);
        }
        this.maxWeight = maxWeight;
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        if (weight > maxWeight) {
            throw new IllegalArgumentException(
                    "weight must be at most " + maxWeight + ", got " + weight);
        }
        return weight * reward;
    }

    @Override
    void requireSameSettings(Ips other) {
        requireEqual("maxWeight", maxWeight, other.maxWeight);
    }

    @Override
    public OptionalDouble termRange() {
        return maxWeight == Double.POSITIVE_INFINITY
                ? OptionalDouble.empty()
                : OptionalDouble.of(maxWeight);
    }
}
