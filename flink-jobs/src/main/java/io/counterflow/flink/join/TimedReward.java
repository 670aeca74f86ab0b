package io.counterflow.flink.join;

import java.util.Comparator;

/**
 * One reward of an impression.
 *
 * @param rewardId its identity
 * @param timeMicros when it happened, in microseconds since 1970
 * @param value how good it was, in [0, 1]
 */
record TimedReward(String rewardId, long timeMicros, double value) {

    /** By time, and by id where times are equal: an order that does not depend on arrival. */
    static final Comparator<TimedReward> IN_ORDER =
            Comparator.comparingLong(TimedReward::timeMicros)
                    .thenComparing(TimedReward::rewardId)
                    .thenComparingDouble(TimedReward::value);
}
