package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * An upper bound on a policy's value, rewards in [0, 1], that holds at every n at once.
 *
 * <p>The mirror of {@link LowerConfidenceSequence}: the weights have mean one, so V = 1 − E[w (1 −
 * r)], and a lower bound on the mean of w (1 − r) is an upper one on V. On its own log a policy's
 * weights are all one. Off its own log the mean of one needs a logging policy that gives every
 * action of the target a positive probability. Below zero, the bound tells that the propensities
 * are wrong.
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

    /** Goes on where a stored sequence stopped. */
    public static UpperConfidenceSequence restore(SequenceState state) {
        return new UpperConfidenceSequence(LowerConfidenceSequence.restore(state));
    }

    /** Takes a reward that the policy itself earned. */
    public void add(double reward) {
        add(1.0, reward);
    }

    /** Takes a logged reward and the policy's importance weight. Allocates nothing. */
    public void add(double weight, double reward) {
        Require.nonnegativeTerm(weight, "weight");
        missing.add(weight * (1.0 - Require.reward(reward)));
    }

    /** Takes all that another sequence with the same grid has seen. */
    public void merge(UpperConfidenceSequence other) {
        missing.merge(other.missing);
    }

    /** n. */
    public long count() {
        return missing.count();
    }

    /** Whether a value in [0, 1] is ruled out, that is, whether the bound is at or below it. */
    public boolean rejects(double value, double delta) {
        return missing.rejects(1.0 - Require.share(value, "value"), delta);
    }

    /** The smallest value that is ruled out; 1 if none is. */
    public double bound(double delta) {
        return 1.0 - missing.bound(delta);
    }

    /** What is to be stored. */
    public SequenceState state() {
        return missing.state();
    }
}
