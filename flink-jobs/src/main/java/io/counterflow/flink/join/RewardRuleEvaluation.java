package io.counterflow.flink.join;

import io.counterflow.core.log.RewardAggregation;
import java.util.Collection;
import java.util.List;

/**
 * Computes the reward of an impression: the default if there is no reward, otherwise the
 * aggregation of all rewards in the window. The order of the rewards does not matter.
 */
final class RewardRuleEvaluation {

    private RewardRuleEvaluation() {}

    /**
     * The reward in [0, 1].
     *
     * @param rewards those in the window, each id once. Not modified
     */
    static double evaluate(
            RewardAggregation aggregation, double defaultReward, Collection<TimedReward> rewards) {
        if (rewards.isEmpty()) {
            return defaultReward;
        }
        List<TimedReward> ordered = rewards.stream().sorted(TimedReward.IN_ORDER).toList();
        return switch (aggregation) {
            case FIRST -> ordered.get(0).value();
            case LAST -> ordered.get(ordered.size() - 1).value();
            case SUM -> cappedSum(ordered);
            case MAX -> largest(ordered);
        };
    }

    private static double cappedSum(List<TimedReward> ordered) {
        double sum = 0.0; // in a fixed order, because floating-point sums depend on it
        for (TimedReward reward : ordered) {
            sum += reward.value();
        }
        return Math.min(sum, 1.0);
    }

    private static double largest(List<TimedReward> rewards) {
        double largest = 0.0;
        for (TimedReward reward : rewards) {
            largest = Math.max(largest, reward.value());
        }
        return largest;
    }
}
