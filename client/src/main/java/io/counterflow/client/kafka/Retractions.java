package io.counterflow.client.kafka;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Retracts decisions whose answers did not reach their callers. Each retraction is written again
 * until Kafka has acknowledged it: the outage that kept the answer back may last. Safe for use by
 * several threads.
 */
final class Retractions {

    /** Limit on retractions that wait for Kafka, about 20 MB. */
    private static final int MAX_PENDING = 100_000;

    /** How long after its attribution window a decision is given up. No window closes earlier. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final RecordProducer log;
    private final Duration pause;
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong lost = new AtomicLong();
    private volatile boolean stopped;
    private final ThreadLocal<WireCodec<RetractionRecord>> codecs =
            ThreadLocal.withInitial(() -> WireCodec.of(RetractionRecord.class));

    /**
     * @param pause between two attempts
     */
    Retractions(RecordProducer log, Duration pause) {
        this.log = log;
        this.pause = pause;
    }

    void retract(Impression impression) {
        if (pending.incrementAndGet() > MAX_PENDING) {
            giveUp();
            return;
        }
        RetractionRecord record =
                new RetractionRecord(impression.eventId(), impression.loop(), impression.time());
        Duration useful = impression.rewardRule().attributionWindow().plus(PATIENCE);
        write(
                impression.eventId(),
                impression.time(), // so that it follows the impression in the same partition
                codecs.get().encode(record),
                System.nanoTime() + TimeUnit.SECONDS.toNanos(useful.toSeconds()));
    }

    private void write(String eventId, Instant time, byte[] value, long endNanos) {
        var unused =
                log.append(Topic.IMPRESSIONS, eventId, time, value)
                        .whenComplete(
                                (done, failure) -> {
                                    if (failure == null) {
                                        pending.decrementAndGet();
                                    } else if (stopped || System.nanoTime() - endNanos > 0) {
                                        giveUp();
                                    } else {
                                        writeLater(eventId, time, value, endNanos);
                                    }
                                });
    }

    private void writeLater(String eventId, Instant time, byte[] value, long endNanos) {
        CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> write(eventId, time, value, endNanos));
    }

    /** Writes no retraction again. */
    void stop() {
        stopped = true;
    }

    private void giveUp() {
        pending.decrementAndGet();
        lost.incrementAndGet();
    }

    /** Retractions that Kafka has not acknowledged yet. */
    int pending() {
        return pending.get();
    }

    /** Retractions that were given up. Their decisions may be learned from. */
    long lost() {
        return lost.get();
    }
}
