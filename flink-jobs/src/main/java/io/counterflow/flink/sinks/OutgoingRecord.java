package io.counterflow.flink.sinks;

import org.jspecify.annotations.Nullable;

/**
 * A record to write to Kafka. The arrays are not copied and must not be modified.
 *
 * @param key its key; null if it has none
 * @param value its value; null for a tombstone
 */
@SuppressWarnings("ArrayRecordComponent") // Kafka takes arrays and Flink writes them well
public record OutgoingRecord(String topic, byte @Nullable [] key, byte @Nullable [] value) {

    /** Size of key and value, in bytes. */
    public int size() {
        return (value == null ? 0 : value.length) + (key == null ? 0 : key.length);
    }
}
