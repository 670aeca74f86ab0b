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

    private final double largestWeight;

    /** Weights of any size; there is no empirical Bernstein interval then. */
    public Ips() {
        this.largestWeight = Double.POSITIVE_INFINITY;
    }

    /**
     * Weights within a known bound; an example above it is refused, because it disproves the bound.
     */
    public Ips(double largestWeight) {
        if (!(largestWeight > 0.0 && largestWeight <= Require.LARGEST_TERM)) {
            throw new IllegalArgumentException(
                    "largestWeight must be in (0, 1e100], got " + largestWeight);
        }
        this.largestWeight = largestWeight;
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        if (weight > largestWeight) {
            throw new IllegalArgumentException(
                    "weight must be at most " + largestWeight + ", got " + weight);
        }
        return weight * reward;
    }

    @Override
    void requireSameSettings(Ips other) {
        requireEqual("largestWeight", largestWeight, other.largestWeight);
    }

    @Override
    public OptionalDouble termRange() {
        return largestWeight == Double.POSITIVE_INFINITY
                ? OptionalDouble.empty()
                : OptionalDouble.of(largestWeight);
    }
}
