package io.counterflow.client.kafka;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Writes impressions to Kafka. Safe for use by several threads. */
public final class ImpressionLog {

    private final RecordProducer log;
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
        this.log = log;
        this.maxRecordBytes = maxRecordBytes;
        this.written = written;
    }

    /**
     * Writes an impression.
     *
     * @return succeeds when Kafka has acknowledged it
     * @throws IllegalArgumentException if it is larger than the limit
     */
    public CompletableFuture<Void> append(Impression impression) {
        byte[] value = codecs.get().encode(conversion.toRecord(impression));
        if (value.length > maxRecordBytes) {
            throw new IllegalArgumentException(
                    "the request must make an impression of at most %d bytes, got %d"
                            .formatted(maxRecordBytes, value.length));
        }
        return log.append(Topic.IMPRESSIONS, impression.eventId(), value)
                .thenRun(() -> written.accept(impression.loop()));
    }
}
