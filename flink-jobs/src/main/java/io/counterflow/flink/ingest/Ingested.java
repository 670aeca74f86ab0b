package io.counterflow.flink.ingest;

import org.jspecify.annotations.Nullable;

/**
 * What became of a record: an event, a refusal, or, when it has neither, a heartbeat.
 *
 * @param event the event; null for others
 * @param refusal the refusal; null for others
 * @param timestampMs event time of an event or a heartbeat, Kafka's timestamp of a refusal
 * @param kafkaTimestampMs Kafka's timestamp
 * @param <E> what the source's valid records become
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
