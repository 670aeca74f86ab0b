package io.counterflow.flink.join;

import io.counterflow.core.log.RewardMetric;
import java.util.Comparator;

/**
 * One reward of an impression.
 *
 * @param timeMicros when it occurred, in microseconds since 1970
 * @param value its value, in [0, 1]
 * @param metric what it measures
 */
record TimedReward(String rewardId, long timeMicros, double value, RewardMetric metric) {

    /** By time, then by id: an order that does not depend on arrival. */
    static final Comparator<TimedReward> IN_ORDER =
            Comparator.comparingLong(TimedReward::timeMicros)
                    .thenComparing(TimedReward::rewardId)
                    .thenComparingDouble(TimedReward::value);
}
