package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.DeadLetterRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka record that is not decoded. The arrays are not copied and must not be modified.
 *
 * @param timestampMs its Kafka timestamp; negative if it has none
 * @param key its key; null if it has none
 * @param value its value; null for a tombstone
 */
@SuppressWarnings("ArrayRecordComponent") // Kafka gives arrays and Flink writes them well
public record RawRecord(
        String topic,
        int partition,
        long offset,
        long timestampMs,
        byte @Nullable [] key,
        byte @Nullable [] value) {

    /**
     * Maximum size of the key, and of the value, in a dead letter. A larger dead letter could
     * exceed the limit of brokers; the letter also has the offset of the whole record.
     */
    public static final int KEPT_BYTES = 65_536;

    /** Stands for the absence of a record. */
    public static final RawRecord NONE = new RawRecord("", -1, -1, 0, null, null);

    /**
     * The dead letter of this record.
     *
     * @param rule fixed name of the rule, for metrics
     * @param reason description, without feature values
     */
    public DeadLetterRecord toDeadLetter(String rule, String reason) {
        DeadLetterRecord letter = new DeadLetterRecord();
        letter.setTopic(topic);
        letter.setPartition(partition);
        letter.setOffset(offset);
        letter.setTime(Instant.ofEpochMilli(timestampMs));
        letter.setRule(rule);
        letter.setReason(reason);
        letter.setKey(kept(key));
        letter.setValue(kept(value));
        return letter;
    }

    private static @Nullable ByteBuffer kept(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        return ByteBuffer.wrap(
                bytes.length <= KEPT_BYTES ? bytes : Arrays.copyOf(bytes, KEPT_BYTES));
    }
}
