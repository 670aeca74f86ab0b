package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;
import java.time.Duration;

/**
 * What the reward join needs to know. It travels in the impression, so that the log explains
 * itself.
 *
 * @param attributionWindow how long rewards are waited for, in whole milliseconds
 * @param defaultReward the reward when none came in time, in [0, 1]
 * @param aggregation which of several rewards counts
 * @param deferred whether the decision counts only after an activation says that it was shown
 */
public record RewardRule(
        Duration attributionWindow,
        double defaultReward,
        RewardAggregation aggregation,
        boolean deferred) {

    private static final RewardRule NONE =
            new RewardRule(Duration.ZERO, 0.0, RewardAggregation.FIRST, false);

    public RewardRule {
        Require.wholeMillis(attributionWindow, "attributionWindow");
        Require.share(defaultReward, "defaultReward");
    }

    /** Nothing to wait for: what a log of known rewards says. */
    public static RewardRule none() {
        return NONE;
    }
}
