package io.counterflow.flink.sinks;

import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a record that is larger than brokers allow by a dead letter. Otherwise the producer
 * would refuse the record after every restart of the job.
 */
final class RecordLimit implements Serializable {

    private static final long serialVersionUID = 1L;

    /** The rule that a record breaks; in dead letters. */
    static final String RULE = "TOO_LARGE_TO_WRITE";

    private final int maxBytes;
    private final String deadLetters;

    private transient @Nullable WireCodec<DeadLetterRecord> codec;

    /**
     * @param maxBytes maximum size of key and value together
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
        RawRecord unwritten =
                new RawRecord(
                        record.topic(),
                        -1,
                        -1,
                        eventTimeMs == null ? 0 : eventTimeMs,
                        record.key(),
                        record.value());
        String reason =
                "record must not be larger than %d bytes, got %d"
                        .formatted(maxBytes, record.size());
        DeadLetterRecord letter = unwritten.toDeadLetter(RULE, reason);
        return new OutgoingRecord(deadLetters, null, codec().encode(letter));
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
