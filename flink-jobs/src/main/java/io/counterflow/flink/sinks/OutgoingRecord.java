package io.counterflow.flink.sinks;

import org.jspecify.annotations.Nullable;

/**
 * A record on its way out. The arrays are not copied: nobody writes to them.
 *
 * @param topic where it goes
 * @param key its key; null when it has none
 * @param value its value
 */
@SuppressWarnings("ArrayRecordComponent") // Kafka takes arrays and Flink writes them well
public record OutgoingRecord(String topic, byte @Nullable [] key, byte[] value) {

    /** How much it asks of a broker. */
    public int size() {
        return value.length + (key == null ? 0 : key.length);
    }
}
