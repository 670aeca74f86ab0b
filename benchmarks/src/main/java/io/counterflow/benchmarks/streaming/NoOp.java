package io.counterflow.benchmarks.streaming;

import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.sinks.OutgoingRecord;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** Replaces join and learner: counts events and forwards none or all of them. */
final class NoOp extends KeyedProcessFunction<String, FeedbackEvent, OutgoingRecord> {

    private static final long serialVersionUID = 1L;

    private final @Nullable String copiedTo;
    private transient Stopwatch stopwatch;

    /**
     * @param copiedTo the topic that impressions are copied to; null for none
     */
    @SuppressWarnings("NullAway.Init") // Flink calls open() first
    NoOp(@Nullable String copiedTo) {
        this.copiedTo = copiedTo;
    }

    @Override
    public void open(OpenContext context) {
        stopwatch = Stopwatch.current();
    }

    @Override
    public void processElement(
            FeedbackEvent event, Context context, Collector<OutgoingRecord> out) {
        if (copiedTo != null) {
            out.collect(
                    new OutgoingRecord(
                            copiedTo,
                            event.loop().getBytes(StandardCharsets.UTF_8),
                            Objects.requireNonNull(event.raw().value())));
        }
        stopwatch.done();
    }
}
