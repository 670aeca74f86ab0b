package io.counterflow.flink.histories;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** Reads one partition, with the real decoder and the real generator of watermarks. */
final class Source<E extends IngestedEvent> {

    private static final long END_MS = 1_000_000;

    private final List<Sent> partition;
    private final RecordDecoder<E> decoder;
    private final WatermarkGenerator<Ingested<E>> generator;
    private final int sender;
    private final boolean feedback;
    private int position;
    private long sentMarkMs = Long.MIN_VALUE;
    private long dueBarrier; // 0 for none
    private long latestMs = Long.MIN_VALUE; // of all records, each at most at its Kafka timestamp

    /**
     * @param sender its number among the senders of the operator that it writes to
     * @param feedback whether it has impressions or rewards
     * @param position where to start
     */
    Source(
            List<Sent> partition,
            RecordDecoder<E> decoder,
            WatermarkGenerator<Ingested<E>> generator,
            int sender,
            boolean feedback,
            int position) {
        this.partition = partition;
        this.decoder = decoder;
        this.generator = generator;
        this.sender = sender;
        this.feedback = feedback;
        this.position = position;
    }

    int sender() {
        return sender;
    }

    boolean feedback() {
        return feedback;
    }

    int position() {
        return position;
    }

    boolean isAtEnd() {
        return position == partition.size();
    }

    Sent next() {
        return partition.get(position);
    }

    /** Decodes the next record and moves the watermark. */
    Ingested<E> read() {
        Sent sent = next();
        Ingested<E> read = decoder.decode(sent.raw());
        if (Verification.ingestRefuses(sent) == null) {
            latestMs = Math.max(latestMs, Math.min(timeMs(sent), sent.appendedMs()));
        }
        position++;
        generator.onEvent(read, read.timestampMs(), NO_OUTPUT);
        return read;
    }

    /** A heartbeat so late that it ends everything. */
    void end() {
        Meaning.Heartbeat heartbeat = new Meaning.Heartbeat(END_MS * 1_000L);
        byte[] value = Encoding.value(heartbeat);
        Ingested<E> read =
                decoder.decode(new RawRecord("end", 0, 0, Feedback.at(END_MS), null, value));
        generator.onEvent(read, read.timestampMs(), NO_OUTPUT);
        latestMs = END_MS;
    }

    private static long timeMs(Sent sent) {
        return Math.floorDiv(sent.meaning().at(), 1_000L);
    }

    /** The watermark, if it has moved since the last one; otherwise the smallest number. */
    long newMark() {
        long[] mark = {Long.MIN_VALUE};
        generator.onPeriodicEmit(
                new WatermarkOutput() {
                    @Override
                    public void emitWatermark(Watermark watermark) {
                        mark[0] = watermark.getTimestamp();
                    }

                    @Override
                    public void markIdle() {
                        throw new IllegalStateException("the simulation decides this");
                    }

                    @Override
                    public void markActive() {
                        throw new IllegalStateException("the simulation decides this");
                    }
                });
        if (feedback && latestMs > Long.MIN_VALUE) {
            long expected = Feedback.at(latestMs - Job.MAX_OUT_OF_ORDERNESS.toMillis() - 1);
            if (mark[0] != expected) {
                throw new AssertionError(
                        "the watermark is %d and must be %d".formatted(mark[0], expected));
            }
        }
        if (mark[0] <= sentMarkMs || mark[0] < Feedback.at(-1_000_000_000L)) {
            return Long.MIN_VALUE;
        }
        sentMarkMs = mark[0];
        return mark[0];
    }

    void barrierIsDue(long checkpoint) {
        dueBarrier = checkpoint;
    }

    /** The checkpoint whose barrier it has to send; 0 for none. */
    long dueBarrier() {
        return dueBarrier;
    }

    private static final WatermarkOutput NO_OUTPUT =
            new WatermarkOutput() {
                @Override
                public void emitWatermark(Watermark watermark) {
                    throw new IllegalStateException("watermarks are periodic");
                }

                @Override
                public void markIdle() {
                    throw new IllegalStateException("the simulation decides this");
                }

                @Override
                public void markActive() {
                    throw new IllegalStateException("the simulation decides this");
                }
            };
}
