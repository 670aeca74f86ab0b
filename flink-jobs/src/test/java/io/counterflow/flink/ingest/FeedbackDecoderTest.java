package io.counterflow.flink.ingest;

import static io.counterflow.flink.Feedback.LOGGED_AT;
import static io.counterflow.flink.Feedback.START;
import static io.counterflow.flink.Feedback.activation;
import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.raw;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FeedbackDecoderTest {

    private final RecordDecoder<FeedbackEvent> impressions =
            FeedbackDecoder.ofImpressions(IngestLimits.defaults());
    private final RecordDecoder<FeedbackEvent> rewards =
            FeedbackDecoder.ofRewards(IngestLimits.defaults());

    @Test
    void aValidRecordBecomesAnEventThatKeepsItsBytes() {
        RawRecord raw = raw(ImpressionRecord.class, impression("e", 7));
        Ingested<FeedbackEvent> ingested = impressions.decode(raw);

        assertThat(ingested.refusal()).isNull();
        assertThat(ingested.timestampMs()).isEqualTo(START.toEpochMilli() + 7);
        assertThat(ingested.event())
                .isEqualTo(
                        new FeedbackEvent(
                                FeedbackKind.IMPRESSION,
                                "home",
                                "e",
                                1_000L * (START.toEpochMilli() + 7),
                                1_000L,
                                false,
                                raw));
    }

    @Test
    void rewardsActivationsAndHeartbeatsShareATopic() {
        assertThat(rewards.decode(raw(RewardRecord.class, reward("r", "e", 1, 1.0))).event())
                .extracting(FeedbackEvent::kind)
                .isEqualTo(FeedbackKind.REWARD);
        assertThat(rewards.decode(raw(ActivationRecord.class, activation("e", 1))).event())
                .extracting(FeedbackEvent::kind)
                .isEqualTo(FeedbackKind.ACTIVATION);
        Ingested<FeedbackEvent> heartbeat =
                rewards.decode(raw(HeartbeatRecord.class, new HeartbeatRecord("serving-1", START)));
        assertThat(heartbeat.event()).isNull();
        assertThat(heartbeat.refusal()).isNull();
        assertThat(heartbeat.timestampMs()).isEqualTo(START.toEpochMilli());
    }

    @Test
    void anImpressionAmongRewardsIsRefused() {
        assertRefused(
                rewards.decode(raw(ImpressionRecord.class, impression("e", 0))),
                IngestRule.UNKNOWN_SCHEMA);
    }

    static Stream<Arguments> brokenImpressions() {
        return Stream.of(
                broken("NAME", r -> r.setEventId("")),
                broken("NAME", r -> r.setLoop("x".repeat(513))),
                broken("TIME", r -> r.setTime(Instant.parse("1999-12-31T23:59:59.999999Z"))),
                broken("TIME", r -> r.setTime(LOGGED_AT.plus(Duration.ofMillis(60_001)))),
                broken("TIME", r -> r.setTime(Instant.EPOCH.plusSeconds(9_000_000_000_000L))),
                broken("REWARD", r -> r.setReward(-0.1)),
                broken("REWARD", r -> r.setReward(Double.NaN)),
                broken("REWARD", r -> r.setDefaultReward(1.1)),
                broken("WINDOW", r -> r.setAttributionWindowMs(-1)),
                broken("WINDOW", r -> r.setAttributionWindowMs(Long.MAX_VALUE)),
                broken(
                        "INCONSISTENT",
                        r -> r.setRewardAggregation(RewardAggregationRecord.UNKNOWN)));
    }

    private static Arguments broken(String rule, Consumer<ImpressionRecord> damage) {
        return Arguments.of(IngestRule.valueOf(rule), damage);
    }

    @ParameterizedTest
    @MethodSource("brokenImpressions")
    void aBrokenImpressionIsRefusedByItsRule(IngestRule rule, Consumer<ImpressionRecord> damage) {
        ImpressionRecord record = impression("e", 0);
        damage.accept(record);
        assertRefused(impressions.decode(raw(ImpressionRecord.class, record)), rule);
    }

    @Test
    void theLoopChecksWhatComesAfterTheHead() {
        ImpressionRecord record = impression("e", 0);
        record.setPropensity(null);
        assertThat(impressions.decode(raw(ImpressionRecord.class, record)).event()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.001, 1.001, Double.NaN, Double.POSITIVE_INFINITY})
    void aRewardOutsideItsRangeIsRefused(double value) {
        assertRefused(
                rewards.decode(raw(RewardRecord.class, reward("r", "e", 0, value))),
                IngestRule.REWARD);
    }

    @Test
    void aRewardWithoutIdIsRefused() {
        assertRefused(
                rewards.decode(raw(RewardRecord.class, reward("", "e", 0, 1.0))), IngestRule.NAME);
    }

    @Test
    void aRecordUpToTheSkewAheadOfKafkaGetsIn() {
        ImpressionRecord record = impression("e", 0);
        record.setTime(LOGGED_AT.plus(Duration.ofMinutes(1)));
        assertThat(impressions.decode(raw(ImpressionRecord.class, record)).event()).isNotNull();
    }

    @Test
    void aHeartbeatFromTheFutureIsRefused() {
        HeartbeatRecord heartbeat = new HeartbeatRecord("s", LOGGED_AT.plusSeconds(61));
        assertRefused(rewards.decode(raw(HeartbeatRecord.class, heartbeat)), IngestRule.TIME);
    }

    @Test
    void tombstonesAndGiantsAreRefusedAndAGiantsLetterIsShort() {
        assertRefused(rewards.decode(new RawRecord("t", 0, 0, 0, null, null)), IngestRule.EMPTY);
        Ingested<FeedbackEvent> giant = rewards.decode(raw(new byte[1_000_001]));
        DeadLetterRecord letter = assertRefused(giant, IngestRule.TOO_LARGE);
        assertThat(letter.getValue().remaining()).isEqualTo(RawRecord.KEPT_BYTES);
    }

    @Test
    void aRecordWithoutKafkaTimestampIsRefused() {
        byte[] value = raw(RewardRecord.class, reward("r", "e", 0, 1.0)).value();
        assertRefused(rewards.decode(new RawRecord("t", 0, 0, -1, null, value)), IngestRule.TIME);
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anyDamageToTheBytesEndsInAnEventOrARefusal(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = WireCodec.of(ImpressionRecord.class).encode(impression("e", 0));
        for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 10));
        }
        for (RecordDecoder<FeedbackEvent> decoder : List.of(impressions, rewards)) {
            Ingested<FeedbackEvent> ingested = decoder.decode(raw(bytes));
            assertThat(ingested.event() != null ^ ingested.refusal() != null)
                    .as("seed %d: either an event or a refusal", seed)
                    .isTrue();
        }
    }

    private static DeadLetterRecord assertRefused(
            Ingested<FeedbackEvent> ingested, IngestRule rule) {
        assertThat(ingested.event()).isNull();
        Refusal refusal = Objects.requireNonNull(ingested.refusal());
        assertThat(refusal.rule()).as(refusal.reason()).isEqualTo(rule);
        assertThat(refusal.reason())
                .isNotBlank()
                .doesNotContain("0.12345")
                .doesNotContain("secret");
        DeadLetterRecord letter = refusal.toDeadLetter();
        assertThat(letter.getRule()).isEqualTo(rule.name());
        assertThat(letter.getTopic()).isEqualTo(refusal.raw().topic());
        assertThat(letter.getPartition()).isEqualTo(refusal.raw().partition());
        assertThat(letter.getOffset()).isEqualTo(refusal.raw().offset());
        return letter;
    }
}
