package io.counterflow.flink.ingest;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * The watermark is a fixed time behind the latest event or heartbeat.
 *
 * <p>A refused record does not advance it. A record counts at most as its Kafka timestamp, so that
 * a fast clock does not make the records of others late.
 */
final class IngestWatermarks<E extends IngestedEvent> implements WatermarkGenerator<Ingested<E>> {

    private final long outOfOrdernessMs;
    private long latestMs;

    IngestWatermarks(long outOfOrdernessMs) {
        this.outOfOrdernessMs = outOfOrdernessMs;
        this.latestMs = Long.MIN_VALUE + outOfOrdernessMs + 1; // no underflow below
    }

    @Override
    public void onEvent(Ingested<E> ingested, long timestampMs, WatermarkOutput output) {
        if (ingested.refusal() == null) {
            latestMs = Math.max(latestMs, Math.min(timestampMs, ingested.kafkaTimestampMs()));
        }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
        output.emitWatermark(new Watermark(latestMs - outOfOrdernessMs - 1));
    }
}
