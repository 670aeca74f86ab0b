package io.counterflow.serving.kafka;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tells every partition what time it is, so that the windows of quiet loops close.
 *
 * <p>Heartbeats go through the same producers as the records of their topic, and so come after all
 * that was written before them.
 */
public final class Heartbeats {

    private final List<KafkaRecordProducer> logs;
    private final String source;
    private final Clock clock;
    private final WireCodec<HeartbeatRecord> codec = WireCodec.of(HeartbeatRecord.class);

    /**
     * @param source name of this process
     */
    public Heartbeats(Collection<KafkaRecordProducer> logs, String source, Clock clock) {
        this.logs = List.copyOf(logs);
        this.source = source;
        this.clock = clock;
    }

    /**
     * Sends one to every partition; one that is lost is followed by the next.
     *
     * @return succeeds when Kafka has all of them
     */
    public synchronized CompletableFuture<Void> send() {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        byte[] value = codec.encode(new HeartbeatRecord(source, now));
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (KafkaRecordProducer log : logs) {
            for (Topic topic : log.topics()) {
                for (int partition = 0; partition < log.partitions(topic); partition++) {
                    // A slash, which no loop's name has; compacted topics need a key.
                    sent.add(
                            log.append(
                                    topic,
                                    partition,
                                    "heartbeat/" + source + "/" + partition,
                                    value));
                }
            }
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
    }
}
