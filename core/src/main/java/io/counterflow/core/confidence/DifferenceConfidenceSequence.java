package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * A lower bound on how much better a candidate is than the active policy, at every n at once.
 *
 * <p>D = (w<sub>c</sub> − w<sub>a</sub>) r has mean V<sub>c</sub> − V<sub>a</sub> and is at least
 * −w<sub>a</sub>r ≥ −W, with W a bound on the active policy's weights (1 on its own log). So D + W
 * ≥ 0 has a {@link LowerConfidenceSequence}: a bet of λ/(1 + λ(W + m)) on each D − m. Both policies
 * share the noise of the rewards, so one sequence of differences needs fewer examples than two
 * sequences of values. The candidate is better, at confidence 1 − δ, once the bound is above 0.
 */
public final class DifferenceConfidenceSequence {

    private final double maxActiveWeight;
    private final LowerConfidenceSequence shifted;

    /** For the active policy's own log, where its weights are one. */
    public DifferenceConfidenceSequence() {
        this(1.0);
    }

    /**
     * @param maxActiveWeight W, bound on w<sub>a</sub> r; an example above it is refused
     */
    public DifferenceConfidenceSequence(double maxActiveWeight) {
        this(maxActiveWeight, new LowerConfidenceSequence());
    }

    private DifferenceConfidenceSequence(double maxActiveWeight, LowerConfidenceSequence shifted) {
        if (!(maxActiveWeight > 0.0 && maxActiveWeight <= Require.MAX_TERM)) {
            throw new IllegalArgumentException(
                    "maxActiveWeight must be in (0, 1e100], got " + maxActiveWeight);
        }
        this.maxActiveWeight = maxActiveWeight;
        this.shifted = shifted;
    }

    /** Continues from a stored state. */
    public static DifferenceConfidenceSequence restore(
            double maxActiveWeight, SequenceState state) {
        return new DifferenceConfidenceSequence(
                maxActiveWeight, LowerConfidenceSequence.restore(state));
    }

    /** Adds the weights and the reward of an example. Allocates nothing. */
    public void add(double candidateWeight, double activeWeight, double reward) {
        Require.reward(reward);
        double gain = Require.nonnegativeTerm(candidateWeight, "candidateWeight") * reward;
        double loss = Require.nonnegativeTerm(activeWeight, "activeWeight") * reward;
        if (loss > maxActiveWeight) {
            throw new IllegalArgumentException(
                    "activeWeight times reward must be at most %s, got %s"
                            .formatted(maxActiveWeight, loss));
        }
        shifted.add(gain + (maxActiveWeight - loss));
    }

    /** n. */
    public long count() {
        return shifted.count();
    }

    /** Whether a difference of at least −W is rejected as too small. */
    public boolean rejects(double difference, double delta) {
        return shifted.rejects(difference + maxActiveWeight, delta);
    }

    /** Lower bound on V<sub>c</sub> − V<sub>a</sub>; −W without examples. */
    public double bound(double delta) {
        return shifted.bound(delta) - maxActiveWeight;
    }

    /** The state to store. */
    public SequenceState state() {
        return shifted.state();
    }
}
