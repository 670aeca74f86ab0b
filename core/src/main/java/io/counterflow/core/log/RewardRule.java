package io.counterflow.core.log;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

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

    private static final Duration LONGEST = Duration.ofDays(366_000);
    private static final RewardRule NONE =
            new RewardRule(Duration.ZERO, 0.0, RewardAggregation.FIRST, false);

    public RewardRule {
        if (attributionWindow.isNegative() || attributionWindow.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "attributionWindow must be in [PT0S, %s], got %s"
                            .formatted(LONGEST, attributionWindow));
        }
        if (!attributionWindow.equals(attributionWindow.truncatedTo(ChronoUnit.MILLIS))) {
            throw new IllegalArgumentException(
                    "attributionWindow must be whole milliseconds, got " + attributionWindow);
        }
        if (!(defaultReward >= 0.0 && defaultReward <= 1.0)) {
            throw new IllegalArgumentException(
                    "defaultReward must be in [0, 1], got " + defaultReward);
        }
    }

    /** Nothing to wait for: what a log of known rewards says. */
    public static RewardRule none() {
        return NONE;
    }
}
