package io.counterflow.flink.sinks;

import org.jspecify.annotations.Nullable;

/**
 * A record to write to Kafka. The arrays are not copied and must not be modified.
 *
 * @param key its key; null if it has none
 */
@SuppressWarnings("ArrayRecordComponent") // Kafka takes arrays and Flink writes them well
public record OutgoingRecord(String topic, byte @Nullable [] key, byte[] value) {

    /** Size of key and value, in bytes. */
    public int size() {
        return value.length + (key == null ? 0 : key.length);
    }
}
