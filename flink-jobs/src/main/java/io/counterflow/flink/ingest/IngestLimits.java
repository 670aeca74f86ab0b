package io.counterflow.flink.ingest;

import io.counterflow.core.text.DurationText;
import java.io.Serializable;
import java.time.Duration;

/**
 * How much a record may ask for.
 *
 * @param maxRecordBytes largest value; joined examples are a little larger and have a limit of
 *     their own
 * @param maxNameLength longest event id, loop or reward id, in characters
 * @param maxClockSkew how far a record's time may be ahead of Kafka's timestamp
 * @param maxAttributionWindow longest wait for rewards: it bounds the state that an impression
 *     costs
 */
public record IngestLimits(
        int maxRecordBytes, int maxNameLength, Duration maxClockSkew, Duration maxAttributionWindow)
        implements Serializable {

    public IngestLimits {
        requirePositive("maxRecordBytes", maxRecordBytes);
        requirePositive("maxNameLength", maxNameLength);
        requireNotNegative("maxClockSkew", maxClockSkew);
        requireNotNegative("maxAttributionWindow", maxAttributionWindow);
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + value);
        }
    }

    private static void requireNotNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(
                    name + " must not be negative, got " + DurationText.format(value));
        }
    }

    /** The same with another limit on the size of a record. */
    public IngestLimits withMaxRecordBytes(int bytes) {
        return new IngestLimits(bytes, maxNameLength, maxClockSkew, maxAttributionWindow);
    }

    /** A million bytes, names of 512 characters, a minute ahead, 30 days of waiting. */
    public static IngestLimits defaults() {
        return new IngestLimits(1_000_000, 512, Duration.ofMinutes(1), Duration.ofDays(30));
    }
}
