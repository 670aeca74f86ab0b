package io.counterflow.flink;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.flink.ingest.FeedbackDecoder;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalDouble;
import org.apache.avro.specific.SpecificRecordBase;

/** Records and events for tests. Times are milliseconds after {@link #START}. */
public final class Feedback {

    /** Time zero of the tests. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** Kafka's timestamp of all records. */
    public static final Instant LOGGED_AT = START.plus(Duration.ofDays(1));

    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());

    private Feedback() {}

    /** START and so many milliseconds, as Flink counts time. */
    public static long at(long ms) {
        return START.toEpochMilli() + ms;
    }

    /** An impression that waits a second for the first reward, and is worth 0.25 without one. */
    public static ImpressionRecord impression(String eventId, long ms) {
        return impression(
                eventId,
                ms,
                new RewardRule(Duration.ofSeconds(1), 0.25, RewardAggregation.FIRST, false));
    }

    public static ImpressionRecord impression(String eventId, long ms, RewardRule rule) {
        return IMPRESSIONS.toRecord(
                new Impression(
                        eventId,
                        "home",
                        3,
                        1,
                        START.plusMillis(ms),
                        new Context.Vector(DenseVector.of(0.5f, -1.0f)),
                        Choice.of(1, 0.5),
                        rule,
                        OptionalDouble.empty()));
    }

    public static RewardRecord reward(String rewardId, String eventId, long ms, double value) {
        return new RewardRecord(
                rewardId, eventId, "home", START.plusMillis(ms), value, RewardMetricRecord.REWARD);
    }

    public static RewardRecord guardrailReward(
            String rewardId, String eventId, long ms, double value) {
        RewardRecord reward = reward(rewardId, eventId, ms, value);
        reward.setMetric(RewardMetricRecord.GUARDRAIL);
        return reward;
    }

    public static ActivationRecord activation(String eventId, long ms) {
        return new ActivationRecord(eventId, "home", START.plusMillis(ms));
    }

    /** Retracts the impression of a time. */
    public static RetractionRecord retraction(String eventId, long ms) {
        return new RetractionRecord(eventId, "home", START.plusMillis(ms));
    }

    /** The record as it lies on a topic. */
    public static <T extends SpecificRecordBase> RawRecord raw(Class<T> type, T record) {
        return raw(WireCodec.of(type).encode(record));
    }

    public static RawRecord raw(byte[] value) {
        return new RawRecord(
                "feedback",
                2,
                17,
                LOGGED_AT.toEpochMilli(),
                "key".getBytes(StandardCharsets.UTF_8),
                value);
    }

    public static FeedbackEvent event(ImpressionRecord record) {
        return decoded(
                FeedbackDecoder.ofImpressions(IngestLimits.defaults()),
                raw(ImpressionRecord.class, record));
    }

    public static FeedbackEvent event(RetractionRecord record) {
        return decoded(
                FeedbackDecoder.ofImpressions(IngestLimits.defaults()),
                raw(RetractionRecord.class, record));
    }

    public static FeedbackEvent event(RewardRecord record) {
        return decoded(
                FeedbackDecoder.ofRewards(IngestLimits.defaults()),
                raw(RewardRecord.class, record));
    }

    public static FeedbackEvent event(ActivationRecord record) {
        return decoded(
                FeedbackDecoder.ofRewards(IngestLimits.defaults()),
                raw(ActivationRecord.class, record));
    }

    private static FeedbackEvent decoded(RecordDecoder<FeedbackEvent> decoder, RawRecord raw) {
        return Objects.requireNonNull(decoder.decode(raw).event());
    }
}
