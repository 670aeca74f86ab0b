package io.counterflow.flink.ingest;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * How watermarks are generated.
 *
 * @param maxOutOfOrderness how much older than the records before it a record may be. A higher
 *     value gives fewer late records and delays all results
 * @param idleTimeout a partition without any record for this long no longer holds back the
 *     watermark. Zero: a partition always holds it back, which is right if heartbeats reach every
 *     partition
 * @param maxDrift maximum difference in event time between impressions and rewards, which limits
 *     the state of the join while the job catches up
 */
public record WatermarkConfig(Duration maxOutOfOrderness, Duration idleTimeout, Duration maxDrift)
        implements Serializable {

    /** Not Flink's last watermark, which ends the input. */
    private static final Watermark LATEST = new Watermark(Long.MAX_VALUE - 1);

    private static final String ALIGNMENT_GROUP = "feedback";

    /** The strategy for both feedback sources. */
    public <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> feedback() {
        WatermarkStrategy<Ingested<E>> strategy = strategy();
        return (idleTimeout.isZero() ? strategy : strategy.withIdleness(idleTimeout))
                .withWatermarkAlignment(ALIGNMENT_GROUP, maxDrift);
    }

    /** The strategy for specs and commands, which never hold back the watermark. */
    public static <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> control() {
        return WatermarkStrategy.<Ingested<E>>forGenerator(context -> new NoDelay<>())
                .withTimestampAssigner((ingested, kafka) -> ingested.timestampMs());
    }

    /** A watermark after all events: it does not delay that of other sources. */
    private static final class NoDelay<E extends IngestedEvent>
            implements WatermarkGenerator<Ingested<E>> {

        @Override
        public void onEvent(Ingested<E> ingested, long timestampMs, WatermarkOutput output) {
            // The events of these topics say nothing about feedback.
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(LATEST);
        }
    }

    private <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> strategy() {
        long outOfOrdernessMs = maxOutOfOrderness.toMillis();
        return WatermarkStrategy.<Ingested<E>>forGenerator(
                        context -> new IngestWatermarks<>(outOfOrdernessMs))
                .withTimestampAssigner((ingested, kafka) -> ingested.timestampMs());
    }
}
