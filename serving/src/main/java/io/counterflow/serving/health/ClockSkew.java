package io.counterflow.serving.health;

import java.util.OptionalLong;

/**
 * How far the clock of the brokers is ahead of the clock of this process.
 *
 * <p>Kafka stamps a record with the broker's time after it was sent and before it is acknowledged.
 * If the stamp is outside of this span of this process, the clocks differ at least by the distance
 * to the span. Within the span nothing is certain, and the skew is 0. Thread-safe.
 */
public final class ClockSkew {

    private OptionalLong newestMs = OptionalLong.empty();

    /**
     * Adds an acknowledged record.
     *
     * @param sentMs time of this process before the record was sent
     * @param stampedMs time of the broker in the acknowledgement
     * @param acknowledgedMs time of this process at the acknowledgement
     */
    public synchronized void add(long sentMs, long stampedMs, long acknowledgedMs) {
        newestMs =
                OptionalLong.of(
                        Math.max(0, stampedMs - acknowledgedMs) + Math.min(0, stampedMs - sentMs));
    }

    /** The newest skew: positive if the broker is ahead. Not a number before the first record. */
    public synchronized double seconds() {
        return newestMs.isPresent() ? newestMs.getAsLong() / 1e3 : Double.NaN;
    }
}
