package io.counterflow.flink.ingest;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * How event time moves.
 *
 * @param maxOutOfOrderness how much older than its predecessors a record may be. Higher: fewer late
 *     records, everything happens later
 * @param idleTimeout after how long without any record a partition no longer holds the others back
 * @param maxDrift how far one source may run ahead of the slowest, so that a replay does not fill
 *     the state of the join
 * @param controlIdleTimeout the same as idleTimeout for topics of specs and commands, on which
 *     nothing happens most of the time: everything waits for it when the job starts
 */
public record WatermarkConfig(
        Duration maxOutOfOrderness,
        Duration idleTimeout,
        Duration maxDrift,
        Duration controlIdleTimeout)
        implements Serializable {

    private static final String ALIGNMENT_GROUP = "feedback";

    /** Five seconds out of order, idle after a minute, or five seconds, five minutes of drift. */
    public static WatermarkConfig defaults() {
        return new WatermarkConfig(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                Duration.ofSeconds(5));
    }

    /** The strategy for both feedback sources. */
    public <E extends IngestedEvent> WatermarkStrategy<Ingested<E>> feedback() {
        return this.<E>strategy()
                .withIdleness(idleTimeout)
                .withWatermarkAlignment(ALIGNMENT_GROUP, maxDrift);
    }

    /**
     * The strategy for specs and commands. They are not aligned with feedback: a spec of last year
     * must not wait for the feedback of last year.
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
