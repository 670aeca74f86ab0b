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
     * @param zero the reward that adds nothing to a sum
     * @param rewards those in the window, each id once. Not modified
     */
    static double evaluate(
            RewardAggregation aggregation,
            double defaultReward,
            double zero,
            Collection<TimedReward> rewards) {
        if (rewards.isEmpty()) {
            return defaultReward;
        }
        List<TimedReward> ordered = rewards.stream().sorted(TimedReward.IN_ORDER).toList();
        return switch (aggregation) {
            case FIRST -> ordered.get(0).value();
            case LAST -> ordered.get(ordered.size() - 1).value();
            case SUM -> sum(zero, ordered);
            case MAX -> largest(ordered);
        };
    }

    private static double sum(double zero, List<TimedReward> ordered) {
        double sum = zero; // in a fixed order, because floating-point sums depend on it
        for (TimedReward reward : ordered) {
            sum += reward.value() - zero;
        }
        return Math.max(0.0, Math.min(sum, 1.0));
    }

    private static double largest(List<TimedReward> rewards) {
        double largest = 0.0;
        for (TimedReward reward : rewards) {
            largest = Math.max(largest, reward.value());
        }
        return largest;
    }
}
