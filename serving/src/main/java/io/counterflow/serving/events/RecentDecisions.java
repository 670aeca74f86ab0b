package io.counterflow.serving.events;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.http.ProblemException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Remembers the newest records that a producer has logged to {@code impressions}, in the bytes that
 * Kafka acknowledged. Their number and their size are limited. Thread-safe.
 */
public final class RecentDecisions implements RecordProducer {

    static final int MAX_RECORDS = 10_000;
    static final int MAX_BYTES = 16 << 20;

    private final RecordProducer log;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final RecordRing newest = new RecordRing(MAX_RECORDS, MAX_BYTES);

    /**
     * @param log writes the records
     */
    public RecentDecisions(RecordProducer log) {
        this.log = log;
    }

    /**
     * A decision.
     *
     * @param retracted whether it does not count, because its answer did not reach the caller
     */
    record Known(Impression impression, boolean retracted) {}

    @Override
    public CompletableFuture<Void> append(Topic topic, String key, Instant time, byte[] value) {
        CompletableFuture<Void> appended = log.append(topic, key, time, value);
        return topic == Topic.IMPRESSIONS
                ? appended.thenRun(() -> newest.add(key, value))
                : appended;
    }

    /** The deferred decisions of the slots of a page, as far as they are known. */
    public List<String> deferredSlots(String loop, String page) {
        String prefix = SlotsRequest.eventId(page, "");
        return newest.keysStartingWith(prefix).stream()
                .filter(eventId -> Slot.isId(eventId.substring(prefix.length())))
                .filter(
                        eventId ->
                                find(loop, eventId)
                                        .filter(it -> !it.retracted())
                                        .filter(it -> it.impression().rewardRule().deferred())
                                        .isPresent())
                .toList();
    }

    /** What is said of an event that is not known. */
    public static ProblemException unknown(String what) {
        return new ProblemException(
                404,
                "unknown-event",
                "this process does not know the %s: it remembers the newest %d decisions that it logged itself, in at most %d MiB"
                        .formatted(what, MAX_RECORDS, MAX_BYTES / (1 << 20)));
    }

    /** The newest decision of an event; empty if it is not known, or not known any more. */
    Optional<Known> find(String loop, String eventId) {
        WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
        WireCodec<RetractionRecord> retractions = WireCodec.of(RetractionRecord.class);
        boolean retracted = false;
        try {
            for (byte[] value : newest.newestFirst(eventId)) {
                if (retractions.accepts(value)) {
                    retracted |= retractions.decode(value).getLoop().equals(loop);
                } else if (impressions.accepts(value)) {
                    Impression impression = conversion.fromRecord(impressions.decode(value));
                    if (impression.loop().equals(loop)) {
                        return Optional.of(new Known(impression, retracted));
                    }
                }
            }
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("this process wrote a record that it cannot read", e);
        }
        return Optional.empty();
    }
}
