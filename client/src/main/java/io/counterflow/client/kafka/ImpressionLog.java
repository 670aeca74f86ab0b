package io.counterflow.client.kafka;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Writes impressions to Kafka. An impression that Kafka does not acknowledge in time is retracted,
 * because Kafka may still store it, and it would be learned from as if the user had seen it. Safe
 * for use by several threads.
 */
public final class ImpressionLog {

    private static final Duration RETRACTION_PAUSE = Duration.ofSeconds(1);

    private final RecordProducer log;
    private final Retractions retractions;
    private final int maxRecordBytes;
    private final Consumer<String> written;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final ThreadLocal<WireCodec<ImpressionRecord>> codecs =
            ThreadLocal.withInitial(() -> WireCodec.of(ImpressionRecord.class));

    /**
     * @param maxRecordBytes limit on a record, which is the limit of the job
     * @param written receives the loop of each acknowledged impression
     */
    public ImpressionLog(RecordProducer log, int maxRecordBytes, Consumer<String> written) {
        this(log, maxRecordBytes, written, RETRACTION_PAUSE);
    }

    /**
     * @param retractionPause between two attempts to write a retraction
     */
    ImpressionLog(
            RecordProducer log,
            int maxRecordBytes,
            Consumer<String> written,
            Duration retractionPause) {
        this.log = log;
        this.retractions = new Retractions(log, retractionPause);
        this.maxRecordBytes = maxRecordBytes;
        this.written = written;
    }

    /**
     * Writes an impression.
     *
     * @return succeeds when Kafka has acknowledged it; fails if it has not in time, and then the
     *     impression does not count
     * @throws IllegalArgumentException if it is larger than the limit
     */
    public CompletableFuture<Void> append(Impression impression) {
        byte[] value = codecs.get().encode(conversion.toRecord(impression));
        if (value.length > maxRecordBytes) {
            throw new IllegalArgumentException(
                    "the request must make an impression of at most %d bytes, got %d"
                            .formatted(maxRecordBytes, value.length));
        }
        return log.append(Topic.IMPRESSIONS, impression.eventId(), impression.time(), value)
                .whenComplete(
                        (done, failure) -> {
                            if (failure == null) {
                                written.accept(impression.loop());
                            } else {
                                retract(impression);
                            }
                        });
    }

    /** Makes an impression not count, because its answer did not reach the caller. */
    public void retract(Impression impression) {
        retractions.retract(impression);
    }

    /** Retractions that Kafka has not acknowledged yet. */
    public int pendingRetractions() {
        return retractions.pending();
    }

    /** Retractions that were given up. Their decisions may be learned from. */
    public long lostRetractions() {
        return retractions.lost();
    }

    /** From now on, a retraction that Kafka does not acknowledge is given up. */
    public void stop() {
        retractions.stop();
    }
}
