package io.counterflow.flink.ingest;

import java.io.Serializable;
import java.time.Duration;

/**
 * Limits on records that the job reads.
 *
 * @param maxRecordBytes maximum size of a record; joined examples are larger and have their own
 *     limit
 * @param maxNameLength maximum length of event ids, reward ids and command ids, in characters
 * @param maxClockSkew how far the time of a record may be ahead of its Kafka timestamp
 * @param maxAttributionWindow maximum attribution window of an impression, which limits how long it
 *     stays in the state
 */
public record IngestLimits(
        int maxRecordBytes, int maxNameLength, Duration maxClockSkew, Duration maxAttributionWindow)
        implements Serializable {

    /** The same limits with another maximum record size. */
    public IngestLimits withMaxRecordBytes(int bytes) {
        return new IngestLimits(bytes, maxNameLength, maxClockSkew, maxAttributionWindow);
    }

    /** A million bytes, names of 512 characters, a minute ahead, 30 days of waiting. */
    public static IngestLimits defaults() {
        return new IngestLimits(1_000_000, 512, Duration.ofMinutes(1), Duration.ofDays(30));
    }
}
