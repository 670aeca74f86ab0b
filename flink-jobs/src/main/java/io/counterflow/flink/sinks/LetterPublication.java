package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Encodes dead letters and late records. They have their original key, because their loop may be
 * unknown. Counts dead letters by loop; the join counts late records itself.
 */
public final class LetterPublication extends AbstractStreamOperator<OutgoingRecord>
        implements OneInputStreamOperator<DeadLetterRecord, OutgoingRecord> {

    /** Prefix of the identities in savepoints; the kind of letters and their origin follow. */
    public static final String UID = "publish";

    private static final long serialVersionUID = 1L;

    private final Topics topics;
    private final Topic topic;
    private final boolean counts;

    private transient WireCodec<DeadLetterRecord> codec;
    private transient LetterLoop loops;
    private transient LoopTally tally;

    /**
     * @param counts whether letters are counted; a replay counts none
     */
    @SuppressWarnings("NullAway.Init") // Flink calls open() first
    public LetterPublication(Topics topics, Topic topic, boolean counts) {
        this.topics = topics;
        this.topic = topic;
        this.counts = counts;
    }

    @Override
    public void open() throws Exception {
        super.open();
        codec = WireCodec.of(DeadLetterRecord.class);
        loops = new LetterLoop();
        tally = new LoopTally(topics.name(Topic.LOOP_COUNTS), nowMs());
    }

    private long nowMs() {
        return getProcessingTimeService().getCurrentProcessingTime();
    }

    @Override
    public void processElement(StreamRecord<DeadLetterRecord> element) {
        DeadLetterRecord letter = element.getValue();
        if (counts) {
            tally.unused(
                    UnusedKindRecord.DEAD_LETTER,
                    loops.of(letter),
                    letter.getRule(),
                    letter.getReason());
        }
        output.collect(
                element.replace(
                        new OutgoingRecord(
                                topics.name(topic), bytes(letter.getKey()), codec.encode(letter))));
    }

    private void report() {
        tally.report(nowMs(), record -> output.collect(new StreamRecord<>(record)));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        report();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        report();
        super.finish();
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
