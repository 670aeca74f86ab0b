package io.counterflow.flink.join;

import java.io.Serializable;
import java.time.Duration;

/**
 * How patient the join is, and how much one decision may ask of it.
 *
 * @param impressionWait how long feedback waits for an impression that comes after it, in event
 *     time; also how much earlier than its impression feedback may have happened, because clocks
 *     differ
 * @param maxFeedback most rewards and activations that are kept for one decision; what comes beyond
 *     them is late. Which ones those are depends on the order of arrival, so it should be more than
 *     anybody honest sends
 * @param maxExampleBytes largest joined example; must fit what the broker takes
 */
public record JoinConfig(Duration impressionWait, int maxFeedback, int maxExampleBytes)
        implements Serializable {

    /** A minute of waiting, a thousand pieces of feedback, a million bytes. */
    public static JoinConfig defaults() {
        return new JoinConfig(Duration.ofMinutes(1), 1_000, 1_000_000);
    }
}
