package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Inverse propensity scoring ({@code eq:emp_risk}): the mean of r π(a|x)/p, which is one minus the
 * paper's empirical risk.
 *
 * <p>Unbiased when the logging policy gives every action of the target a positive probability; its
 * variance has no bound. It knows the range of its terms only when told the largest weight that can
 * occur, as with an exploration floor ε over K actions, where no weight exceeds K/ε.
 */
public final class Ips extends MeanEstimator<Ips> {

    private final double maxWeight;

    /** Weights of any size; there is no empirical Bernstein interval then. */
    public Ips() {
        this.maxWeight = Double.POSITIVE_INFINITY;
    }

    /**
     * Weights within a known bound; an example above it is refused, because it disproves the bound.
     */
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
