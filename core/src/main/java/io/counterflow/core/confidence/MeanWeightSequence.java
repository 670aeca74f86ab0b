package io.counterflow.core.confidence;

import io.counterflow.core.estimate.MeanEstimator;
import io.counterflow.core.numeric.Require;

/**
 * Where the mean importance weight lies, at every n at once: an alarm when one is not within.
 *
 * <p>Each side takes δ/2. From below any weights will do. From above a bound W on the weights is
 * needed, as an exploration floor ε over K actions gives with W = K/ε: the sequence then is the
 * mirrored one of w/W in [0, 1].
 *
 * <p>The other audits of logged propensities are means of one as well: 1/(K p), the weight of the
 * uniform policy over K actions, in [0, 1/(K min p)]; and 1 + 1{a=k} − p(k) for an action k, in [0,
 * 2].
 */
public final class MeanWeightSequence {

    private final double maxWeight;
    private final LowerConfidenceSequence below;
    private final UpperConfidenceSequence above;

    /**
     * @param maxWeight W; a weight above it is refused
     */
    public MeanWeightSequence(double maxWeight) {
        this(maxWeight, new LowerConfidenceSequence(), new UpperConfidenceSequence());
    }

    private MeanWeightSequence(
            double maxWeight, LowerConfidenceSequence below, UpperConfidenceSequence above) {
        if (!(maxWeight >= 1.0 && maxWeight <= Require.MAX_TERM)) {
            throw new IllegalArgumentException("maxWeight must be in [1, 1e100], got " + maxWeight);
        }
        this.maxWeight = maxWeight;
        this.below = below;
        this.above = above;
    }

    /** Goes on where a stored sequence stopped. */
    public static MeanWeightSequence restore(
            double maxWeight, SequenceState below, SequenceState above) {
        return new MeanWeightSequence(
                maxWeight,
                LowerConfidenceSequence.restore(below),
                UpperConfidenceSequence.restore(above));
    }

    /** Takes one weight. Allocates nothing. */
    public void add(double weight) {
        if (!(weight >= 0.0 && weight <= maxWeight)) {
            throw new IllegalArgumentException(
                    "weight must be in [0, " + maxWeight + "], got " + weight);
        }
        below.add(weight);
        above.add(weight / maxWeight);
    }

    /** Takes all that another sequence with the same W has seen. */
    public void merge(MeanWeightSequence other) {
        MeanEstimator.requireEqual("maxWeight", maxWeight, other.maxWeight);
        below.merge(other.below);
        above.merge(other.above);
    }

    /** n. */
    public long count() {
        return below.count();
    }

    /** Whether this mean weight is ruled out; one should never be. */
    public boolean rejects(double meanWeight, double delta) {
        double half = Require.delta(delta) / 2.0;
        return below.rejects(meanWeight, half)
                || meanWeight > maxWeight
                || above.rejects(meanWeight / maxWeight, half);
    }

    /** Lower bound on the mean weight, at δ/2. */
    public double lowerBound(double delta) {
        return below.bound(Require.delta(delta) / 2.0);
    }

    /** Upper bound on the mean weight, at δ/2. */
    public double upperBound(double delta) {
        return maxWeight * above.bound(Require.delta(delta) / 2.0);
    }

    /** What is to be stored of the lower side. */
    public SequenceState lowerState() {
        return below.state();
    }

    /** What is to be stored of the upper side. */
    public SequenceState upperState() {
        return above.state();
    }
}
