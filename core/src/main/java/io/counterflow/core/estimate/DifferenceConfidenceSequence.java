package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;

/**
 * A lower bound on how much better a candidate is than the active policy, at every n at once.
 *
 * <p>D = (w<sub>c</sub> − w<sub>a</sub>) r has mean V<sub>c</sub> − V<sub>a</sub> and is at least
 * −w<sub>a</sub>r ≥ −W, with W a bound on the active policy's weights (1 on its own log). So D + W
 * ≥ 0 has a {@link LowerConfidenceSequence}: a bet of λ/(1 + λ(W + m)) on each D − m. Both policies
 * share the noise of the rewards, so one sequence decides sooner than two. The candidate is better,
 * at confidence 1 − δ, once the bound is above 0.
 */
public final class DifferenceConfidenceSequence {

    private final double largestActiveWeight;
    private final LowerConfidenceSequence shifted;

    /** For the active policy's own log, where its weights are one. */
    public DifferenceConfidenceSequence() {
        this(1.0);
    }

    /**
     * @param largestActiveWeight W, bound on w<sub>a</sub> r; an example above it is refused
     */
    public DifferenceConfidenceSequence(double largestActiveWeight) {
        this(largestActiveWeight, new LowerConfidenceSequence());
    }

    private DifferenceConfidenceSequence(
            double largestActiveWeight, LowerConfidenceSequence shifted) {
        if (!(largestActiveWeight > 0.0 && largestActiveWeight <= Require.LARGEST_TERM)) {
            throw new IllegalArgumentException(
                    "largestActiveWeight must be in (0, 1e100], got " + largestActiveWeight);
        }
        this.largestActiveWeight = largestActiveWeight;
        this.shifted = shifted;
    }

    /** Goes on where a stored sequence stopped. */
    public static DifferenceConfidenceSequence restore(
            double largestActiveWeight, SequenceState state) {
        return new DifferenceConfidenceSequence(
                largestActiveWeight, LowerConfidenceSequence.restore(state));
    }

    /** Takes one example's weights and reward. Allocates nothing. */
    public void add(double candidateWeight, double activeWeight, double reward) {
        Require.reward(reward);
        double gain = Require.nonnegativeTerm(candidateWeight, "candidateWeight") * reward;
        double loss = Require.nonnegativeTerm(activeWeight, "activeWeight") * reward;
        if (loss > largestActiveWeight) {
            throw new IllegalArgumentException(
                    "activeWeight times reward must be at most %s, got %s"
                            .formatted(largestActiveWeight, loss));
        }
        shifted.add(gain + (largestActiveWeight - loss));
    }

    /** Takes all that another sequence with the same W has seen. */
    public void merge(DifferenceConfidenceSequence other) {
        MeanEstimator.requireEqual(
                "largestActiveWeight", largestActiveWeight, other.largestActiveWeight);
        shifted.merge(other.shifted);
    }

    /** n. */
    public long count() {
        return shifted.count();
    }

    /** Whether a difference, at least −W, is ruled out as too small to be true. */
    public boolean rejects(double difference, double delta) {
        return shifted.rejects(difference + largestActiveWeight, delta);
    }

    /** Lower bound on V<sub>c</sub> − V<sub>a</sub>; −W when nothing is known. */
    public double bound(double delta) {
        return shifted.bound(delta) - largestActiveWeight;
    }

    /** What is to be stored. */
    public SequenceState state() {
        return shifted.state();
    }
}
