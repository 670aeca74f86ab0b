package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * An upper bound on a policy's value, rewards in [0, 1], that holds at every n at once.
 *
 * <p>The mirror of {@link LowerConfidenceSequence}: the weights have mean one, so V = 1 − E[w (1 −
 * r)], and a lower bound on the mean of w (1 − r) gives an upper bound on V. On its own log a
 * policy's weights are all one. On other logs, the weights have mean one only if the logging policy
 * gives every action of the target a positive probability. A bound below zero shows that the
 * propensities are wrong.
 */
public final class UpperConfidenceSequence {

    private final LowerConfidenceSequence missing;

    /** With the grid of {@link LowerConfidenceSequence}. */
    public UpperConfidenceSequence() {
        this(new LowerConfidenceSequence());
    }

    /**
     * @param grid the λ, fixed before the data. Copied.
     */
    public UpperConfidenceSequence(double... grid) {
        this(new LowerConfidenceSequence(grid));
    }

    private UpperConfidenceSequence(LowerConfidenceSequence missing) {
        this.missing = missing;
    }

    /** Continues from a stored state. */
    public static UpperConfidenceSequence restore(SequenceState state) {
        return new UpperConfidenceSequence(LowerConfidenceSequence.restore(state));
    }

    /** Adds a reward that the policy itself earned. */
    public void add(double reward) {
        add(1.0, reward);
    }

    /** Adds a logged reward and the policy's importance weight. Allocates nothing. */
    public void add(double weight, double reward) {
        Require.nonnegativeTerm(weight, "weight");
        missing.add(weight * (1.0 - Require.reward(reward)));
    }

    /** Adds all examples of another sequence with the same grid. */
    public void merge(UpperConfidenceSequence other) {
        missing.merge(other.missing);
    }

    /** n. */
    public long count() {
        return missing.count();
    }

    /** Whether a value in [0, 1] is rejected: whether the bound is less than or equal to it. */
    public boolean rejects(double value, double delta) {
        return missing.rejects(1.0 - Require.share(value, "value"), delta);
    }

    /** The smallest value that is rejected; 1 if none is rejected. */
    public double bound(double delta) {
        return 1.0 - missing.bound(delta);
    }

    /** The state to store. */
    public SequenceState state() {
        return missing.state();
    }
}
