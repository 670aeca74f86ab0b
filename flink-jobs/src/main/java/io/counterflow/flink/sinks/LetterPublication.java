package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.functions.MapFunction;
import org.jspecify.annotations.Nullable;

/**
 * Encodes dead letters and late records. They have their original key, because their loop may be
 * unknown.
 */
public final class LetterPublication implements MapFunction<DeadLetterRecord, OutgoingRecord> {

    private static final long serialVersionUID = 1L;

    private final String topic;

    private transient @Nullable WireCodec<DeadLetterRecord> codec; // created by the task

    public LetterPublication(String topic) {
        this.topic = topic;
    }

    @Override
    public OutgoingRecord map(DeadLetterRecord letter) {
        WireCodec<DeadLetterRecord> existing = codec;
        if (existing == null) {
            existing = WireCodec.of(DeadLetterRecord.class);
            codec = existing;
        }
        return new OutgoingRecord(topic, bytes(letter.getKey()), existing.encode(letter));
    }

    private static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes); // its position stays
        return bytes;
    }
}
