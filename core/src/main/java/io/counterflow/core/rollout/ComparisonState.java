package io.counterflow.core.rollout;

import io.counterflow.core.confidence.SequenceState;
import io.counterflow.core.numeric.Require;

/**
 * The state of a comparison of two versions, for storage.
 *
 * @param delta δ of the comparison
 */
public record ComparisonState(
        double delta, SequenceState challenger, SequenceState holder, SequenceState difference) {

    public ComparisonState {
        Require.delta(delta);
    }
}
