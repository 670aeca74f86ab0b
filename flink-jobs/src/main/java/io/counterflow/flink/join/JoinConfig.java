package io.counterflow.flink.join;

import java.io.Serializable;
import java.time.Duration;

/**
 * Settings of the join of impressions and rewards.
 *
 * @param impressionWait how long feedback waits for its impression, in event time; also how much
 *     earlier than its impression feedback may have occurred, because clocks differ
 * @param maxFeedback maximum number of rewards and activations kept for one decision; further ones
 *     are late. Which ones these are depends on the order of arrival, so it should be higher than
 *     normal traffic needs
 * @param cacheBytes maximum size of the impressions that a task keeps on the heap; others are only
 *     in the state backend
 */
public record JoinConfig(Duration impressionWait, int maxFeedback, long cacheBytes)
        implements Serializable {

    /** A minute of waiting, a thousand pieces of feedback, 128 MB. */
    public static JoinConfig defaults() {
        return new JoinConfig(Duration.ofMinutes(1), 1_000, 128L << 20);
    }
}
