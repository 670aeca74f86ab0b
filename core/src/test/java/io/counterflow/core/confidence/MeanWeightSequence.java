package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * The bounds of {@link MeanWeightBounds} for a bound W on the weights that is known in advance: the
 * reference that it is compared with.
 */
final class MeanWeightSequence {

    private final double maxWeight;
    private final LowerConfidenceSequence below = new LowerConfidenceSequence();
    private final UpperConfidenceSequence above = new UpperConfidenceSequence();

    /**
     * @param maxWeight W; a weight above it is refused
     */
    MeanWeightSequence(double maxWeight) {
        if (!(maxWeight >= 1.0 && maxWeight <= Require.MAX_TERM)) {
            throw new IllegalArgumentException("maxWeight must be in [1, 1e100], got " + maxWeight);
        }
        this.maxWeight = maxWeight;
    }

    /** Adds a weight. */
    void add(double weight) {
        if (!(weight >= 0.0 && weight <= maxWeight)) {
            throw new IllegalArgumentException(
                    "weight must be in [0, " + maxWeight + "], got " + weight);
        }
        below.add(weight);
        above.add(weight / maxWeight);
    }

    /** Whether this mean weight is rejected; one should never be. */
    boolean rejects(double meanWeight, double delta) {
        double half = Require.delta(delta) / 2.0;
        return below.rejects(meanWeight, half)
                || meanWeight > maxWeight
                || above.rejects(meanWeight / maxWeight, half);
    }

    /** Lower bound on the mean weight, at δ/2. */
    double lowerBound(double delta) {
        return below.bound(Require.delta(delta) / 2.0);
    }

    /** Upper bound on the mean weight, at δ/2. */
    double upperBound(double delta) {
        return maxWeight * above.bound(Require.delta(delta) / 2.0);
    }
}
