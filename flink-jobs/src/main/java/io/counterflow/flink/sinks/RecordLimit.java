package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a record that is larger than brokers allow by a dead letter. Otherwise the producer
 * would refuse the record after every restart of the job.
 */
final class RecordLimit implements Serializable {

    private static final long serialVersionUID = 1L;

    /** The rule that a record breaks; in dead letters. */
    static final String RULE = "TOO_LARGE_TO_WRITE";

    private static final int KEPT_BYTES = 65_536;

    private final int maxBytes;
    private final String deadLetters;

    private transient @Nullable WireCodec<DeadLetterRecord> codec;

    /**
     * @param maxBytes maximum size of key and value together
     * @param deadLetters the topic of dead letters
     */
    RecordLimit(int maxBytes, String deadLetters) {
        this.maxBytes = maxBytes;
        this.deadLetters = deadLetters;
    }

    boolean allows(OutgoingRecord record) {
        return record.size() <= maxBytes;
    }

    /**
     * The dead letter of a record that is too large. It has no offset, because it was never
     * written.
     */
    OutgoingRecord letterFor(OutgoingRecord record, @Nullable Long eventTimeMs) {
        DeadLetterRecord letter = new DeadLetterRecord();
        letter.setTopic(record.topic());
        letter.setPartition(-1);
        letter.setOffset(-1);
        letter.setTime(Instant.ofEpochMilli(eventTimeMs == null ? 0 : eventTimeMs));
        letter.setRule(RULE);
        letter.setReason(
                "record must not be larger than %d bytes, got %d"
                        .formatted(maxBytes, record.size()));
        byte[] key = record.key();
        letter.setKey(key == null ? null : kept(key));
        letter.setValue(kept(record.value()));
        return new OutgoingRecord(deadLetters, null, codec().encode(letter));
    }

    private static ByteBuffer kept(byte[] bytes) {
        return ByteBuffer.wrap(
                bytes.length <= KEPT_BYTES ? bytes : Arrays.copyOf(bytes, KEPT_BYTES));
    }

    private WireCodec<DeadLetterRecord> codec() {
        WireCodec<DeadLetterRecord> existing = codec;
        if (existing == null) {
            existing = WireCodec.of(DeadLetterRecord.class);
            codec = existing;
        }
        return existing;
    }
}
