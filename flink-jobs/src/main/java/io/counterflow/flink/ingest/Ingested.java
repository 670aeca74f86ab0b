package io.counterflow.flink.ingest;

import org.jspecify.annotations.Nullable;

/**
 * A decoded record: an event, a refusal, or, if it has neither, a heartbeat.
 *
 * @param timestampMs event time of an event or heartbeat; Kafka timestamp of a refusal
 */
public record Ingested<E extends IngestedEvent>(
        @Nullable E event, @Nullable Refusal refusal, long timestampMs, long kafkaTimestampMs) {

    static <E extends IngestedEvent> Ingested<E> event(E event) {
        return new Ingested<>(event, null, event.timeMs(), event.raw().timestampMs());
    }

    static <E extends IngestedEvent> Ingested<E> heartbeat(long timeMicros, RawRecord raw) {
        return new Ingested<>(null, null, Math.floorDiv(timeMicros, 1_000L), raw.timestampMs());
    }

    static <E extends IngestedEvent> Ingested<E> refusal(Refusal refusal) {
        long timestampMs = refusal.raw().timestampMs();
        return new Ingested<>(null, refusal, timestampMs, timestampMs);
    }
}
