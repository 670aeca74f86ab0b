package io.counterflow.serving;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.health.ClockSkew;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the time to every partition, so that event time advances without traffic and windows
 * close. Heartbeats use the same producers as other records, and so keep their order.
 */
final class Heartbeats {

    private final List<KafkaRecordProducer> producers;
    private final String source;
    private final Clock clock;
    private final ClockSkew skew = new ClockSkew();
    private final WireCodec<HeartbeatRecord> codec = WireCodec.of(HeartbeatRecord.class);

    /**
     * @param source name of this process
     */
    Heartbeats(List<KafkaRecordProducer> producers, String source, Clock clock) {
        this.producers = producers;
        this.source = source;
        this.clock = clock;
    }

    /** Writes one heartbeat to each partition; succeeds when Kafka has acknowledged all. */
    synchronized CompletableFuture<Void> send() {
        Instant now = clock.instant();
        byte[] value =
                codec.encode(new HeartbeatRecord(source, now.truncatedTo(ChronoUnit.MICROS)));
        // A key with a slash, which loop names cannot have.
        return CompletableFuture.allOf(
                producers.stream()
                        .map(
                                producer ->
                                        producer.appendToAll(
                                                "heartbeat/" + source,
                                                value,
                                                stamped ->
                                                        skew.add(
                                                                now.toEpochMilli(),
                                                                stamped,
                                                                clock.millis())))
                        .toArray(CompletableFuture[]::new));
    }

    /** The skew of the clocks, measured by the heartbeats. */
    ClockSkew skew() {
        return skew;
    }
}
