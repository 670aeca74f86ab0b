package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * The state of a {@link RewardModelLearner}, for storage. It is complete: a restart between any two
 * examples does not change any bit.
 *
 * @param progress the counters
 * @param champion the belief whose policy is served
 * @param challenger the belief that replaces it if it predicts rewards better
 */
public record RewardModelState(
        RewardModelProgress progress, RewardBelief champion, RewardBelief challenger) {

    public RewardModelState {
        Require.that(
                champion.size() == challenger.size(),
                "champion and challenger must have as many parameters, got %s and %s",
                champion.size(),
                challenger.size());
    }
}
