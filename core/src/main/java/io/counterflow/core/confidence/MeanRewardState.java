package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * The state of {@link MeanRewardBounds}, for storage.
 *
 * @param sum Σ r
 * @param below the sequence of the lower bound
 * @param above the sequence of the upper bound
 */
public record MeanRewardState(double sum, SequenceState below, SequenceState above) {

    public MeanRewardState {
        Require.finiteAtLeastZero(sum, "sum");
        Require.that(
                below.count() == above.count(),
                "both sequences must have the same count, got %s and %s",
                below.count(),
                above.count());
    }
}
