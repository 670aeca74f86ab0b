package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * The mean reward of some decisions, with bounds that hold at every n at once.
 *
 * <p>They are bounds on the mean of E[r<sub>i</sub> | past] over the decisions so far, so the
 * policy and the world may change: Π (1 + λm<sub>i</sub>) ≤ (1 + λm)<sup>n</sup> for the mean m of
 * the m<sub>i</sub>, and {@link LowerConfidenceSequence} and {@link UpperConfidenceSequence} hold
 * for it.
 */
public final class MeanRewardBounds {

    private final LowerConfidenceSequence lower;
    private final UpperConfidenceSequence upper;
    private double sum;

    public MeanRewardBounds() {
        this(new LowerConfidenceSequence(), new UpperConfidenceSequence(), 0.0);
    }

    private MeanRewardBounds(
            LowerConfidenceSequence lower, UpperConfidenceSequence upper, double sum) {
        this.lower = lower;
        this.upper = upper;
        this.sum = sum;
    }

    /** Continues from a stored state. */
    public static MeanRewardBounds restore(MeanRewardState state) {
        return new MeanRewardBounds(
                LowerConfidenceSequence.restore(state.below()),
                UpperConfidenceSequence.restore(state.above()),
                state.sum());
    }

    /** Adds r, in [0, 1]. */
    public void add(double reward) {
        sum += Require.reward(reward);
        lower.add(reward);
        upper.add(reward);
    }

    /** n. */
    public long count() {
        return lower.count();
    }

    /**
     * The mean reward.
     *
     * @throws IllegalStateException without rewards
     */
    public double mean() {
        if (count() == 0) {
            throw new IllegalStateException("no rewards to compute a mean of");
        }
        return sum / count();
    }

    /** A lower bound on the mean that fails with probability at most δ. */
    public double lowerBound(double delta) {
        return lower.bound(delta);
    }

    /** An upper bound on the mean that fails with probability at most δ. */
    public double upperBound(double delta) {
        return upper.bound(delta);
    }

    /** The state to store. */
    public MeanRewardState state() {
        return new MeanRewardState(sum, lower.state(), upper.state());
    }
}
