package io.counterflow.flink.ingest;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * How watermarks are generated.
 *
 * @param maxOutOfOrderness how much older than the records before it a record may be. A higher
 *     value gives fewer late records and delays all results
 * @param idleTimeout a partition without any record for this long no longer holds back the
 *     watermark
 * @param maxDrift maximum difference in event time between impressions and rewards, which limits
 *     the state of the join while the job catches up
 * @param controlIdleTimeout the idle timeout of the topics of specs and commands, which have few
 *     records. The job waits this long at startup
 */
public record WatermarkConfig(
        Duration maxOutOfOrderness,
        Duration idleTimeout,
        Duration maxDrift,
        Duration controlIdleTimeout)
        implements Serializable {

    private static final String ALIGNMENT_GROUP = "feedback";

    /** The strategy for both feedback sources. */
    public <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> feedback() {
        return this.<E>strategy()
                .withIdleness(idleTimeout)
                .withWatermarkAlignment(ALIGNMENT_GROUP, maxDrift);
    }

    /**
     * The strategy for specs and commands. They are not aligned with feedback, because they can be
     * much older.
     */
    public <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> control() {
        return this.<E>strategy().withIdleness(controlIdleTimeout);
    }

    private <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> strategy() {
        long outOfOrdernessMs = maxOutOfOrderness.toMillis();
        return WatermarkStrategy.<Ingested<E>>forGenerator(
                        context -> new IngestWatermarks<>(outOfOrdernessMs))
                .withTimestampAssigner((ingested, kafka) -> ingested.timestampMs());
    }
}
