package io.counterflow.flink.sinks;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.util.function.SerializableFunction;
import org.jspecify.annotations.Nullable;

/** Encodes records of one type for their topic. */
public final class Publication<T extends SpecificRecordBase>
        implements MapFunction<T, OutgoingRecord> {

    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final String topic;
    private final SerializableFunction<T, byte @Nullable []> key;

    private transient @Nullable WireCodec<T> codec; // created by the task

    private Publication(
            Class<T> type, String topic, SerializableFunction<T, byte @Nullable []> key) {
        this.type = type;
        this.topic = topic;
        this.key = key;
    }

    /** Joined examples, keyed by loop, with the bytes that loops learn from. */
    public static MapFunction<LoopEvent, OutgoingRecord> ofExamples(String topic) {
        return example ->
                new OutgoingRecord(
                        topic, utf8(example.loop()), Objects.requireNonNull(example.raw().value()));
    }

    /** Rollouts, keyed by loop. */
    public static Publication<RolloutRecord> ofRollouts(String topic) {
        return new Publication<>(RolloutRecord.class, topic, it -> utf8(it.getLoop()));
    }

    /** Windows of estimates, keyed by loop. */
    public static Publication<IpsWindowRecord> ofWindows(String topic) {
        return new Publication<>(IpsWindowRecord.class, topic, it -> utf8(it.getLoop()));
    }

    /**
     * Dead letters and late records, with their original key, because their loop may be unknown.
     */
    public static Publication<DeadLetterRecord> ofLetters(String topic) {
        return new Publication<>(DeadLetterRecord.class, topic, it -> bytes(it.getKey()));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes); // its position stays
        return bytes;
    }

    @Override
    public OutgoingRecord map(T record) {
        WireCodec<T> existing = codec;
        if (existing == null) {
            existing = WireCodec.of(type);
            codec = existing;
        }
        return new OutgoingRecord(topic, key.apply(record), existing.encode(record));
    }
}
