package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;

/**
 * The state of a {@link GainEvidence}, for storage.
 *
 * @param sum sum of the differences
 * @param squares sum of their squares
 */
public record GainState(double sum, double squares) {

    static final GainState NONE = new GainState(0.0, 0.0);

    public GainState {
        Require.finite(sum, "sum");
        Require.finiteAtLeastZero(squares, "squares");
    }
}
