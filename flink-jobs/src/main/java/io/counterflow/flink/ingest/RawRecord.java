package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.DeadLetterRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record as Kafka gave it, not yet understood. The arrays are not copied: nobody writes to them.
 *
 * @param topic where it lay
 * @param partition in which partition
 * @param offset at which offset
 * @param timestampMs Kafka's timestamp; negative when it has none
 * @param key its key; null when it has none
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
     * Most bytes of key and of value that a dead letter keeps. A letter larger than the broker
     * takes would stop the job; where the whole record lies is in the letter.
     */
    public static final int KEPT_BYTES = 65_536;

    /** Another value that was made of this record, and still lies where this one lay. */
    public RawRecord withValue(byte[] other) {
        return new RawRecord(topic, partition, offset, timestampMs, key, other);
    }

    /**
     * The letter that says why this record was not used.
     *
     * @param rule short fixed name to count by
     * @param reason in words, without feature values
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
