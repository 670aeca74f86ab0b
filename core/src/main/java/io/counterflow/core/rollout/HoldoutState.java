package io.counterflow.core.rollout;

import io.counterflow.core.confidence.MeanRewardState;
import io.counterflow.core.numeric.Require;

/**
 * The state of a {@link HoldoutGain}, for storage.
 *
 * @param sinceSpec version of the first spec with this holdout
 * @param sinceMs time of the first example, in milliseconds since 1970; −1 without any
 * @param holdout the events of the holdout
 * @param rest the other events
 */
public record HoldoutState(
        long sinceSpec, long sinceMs, MeanRewardState holdout, MeanRewardState rest) {

    public HoldoutState {
        Require.atLeast(1, sinceSpec, "sinceSpec");
        Require.atLeast(-1, sinceMs, "sinceMs");
    }
}
