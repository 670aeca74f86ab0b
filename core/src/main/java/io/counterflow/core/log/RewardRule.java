package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * The settings of the reward join. They are part of the impression, so that the log is
 * self-contained.
 *
 * @param attributionWindow how long the join waits for rewards, in whole milliseconds
 * @param defaultReward the reward if none arrives in time, in [0, 1]
 * @param aggregation which of several rewards counts
 * @param deferred whether the decision counts only after an activation reports that it was shown
 * @param guardrailDefault the guardrail reward if none arrives in time, in [0, 1]; empty if the
 *     loop has no guardrail
 * @param zero the reward that adds nothing to a sum, in [0, 1]: what 0 is in the {@link
 *     RewardRange} of the loop
 */
public record RewardRule(
        Duration attributionWindow,
        double defaultReward,
        RewardAggregation aggregation,
        boolean deferred,
        OptionalDouble guardrailDefault,
        double zero) {

    private static final RewardRule NONE =
            new RewardRule(Duration.ZERO, 0.0, RewardAggregation.FIRST, false);

    public RewardRule {
        Require.wholeMillis(attributionWindow, "attributionWindow");
        Require.share(defaultReward, "defaultReward");
        guardrailDefault.ifPresent(value -> Require.share(value, "guardrailDefaultReward"));
        Require.share(zero, "rewardZero");
    }

    /** A rule without a guardrail, for rewards in [0, 1]. */
    public RewardRule(
            Duration attributionWindow,
            double defaultReward,
            RewardAggregation aggregation,
            boolean deferred) {
        this(attributionWindow, defaultReward, aggregation, deferred, OptionalDouble.empty(), 0.0);
    }

    /** The same rule for a decision that counts only after an activation. */
    public RewardRule ofDeferred() {
        return new RewardRule(
                attributionWindow, defaultReward, aggregation, true, guardrailDefault, zero);
    }

    /** The rule of a log with known rewards: nothing to wait for. */
    public static RewardRule none() {
        return NONE;
    }
}
