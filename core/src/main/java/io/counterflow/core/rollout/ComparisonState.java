package io.counterflow.core.rollout;

import io.counterflow.core.confidence.SequenceState;
import io.counterflow.core.numeric.Require;

/**
 * All that a comparison of two versions remembers, for storing it.
 *
 * @param delta δ that the comparison may spend
 */
public record ComparisonState(
        double delta, SequenceState challenger, SequenceState holder, SequenceState difference) {

    public ComparisonState {
        Require.delta(delta);
    }
}
