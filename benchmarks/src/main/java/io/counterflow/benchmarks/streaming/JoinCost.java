package io.counterflow.benchmarks.streaming;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackDecoder;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.join.Buckets;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.join.RewardJoin;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Measures the cost of a decision in the join, with one decision per millisecond and a reward for
 * every third decision, and that of decoding its impression at ingest. Runs on RocksDB in Flink's
 * test harness. Prints a JSON object for each shape. A time of 0 between checkpoints is without
 * checkpoints.
 */
public final class JoinCost {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Buckets BUCKETS = new Buckets(128);
    private static final int LATER = 1_500; // milliseconds from a decision to its reward
    private static final int BEFORE = 20_000;
    private static final int COUNTED = 40_000;
    private static final int EVENTS_PER_WATERMARK = 200;

    private final TrafficShape shape;
    private final int windowSeconds;
    private final int checkpointSeconds;
    private final RewardRule rule;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);

    private final RecordDecoder<FeedbackEvent> impressionDecoder =
            FeedbackDecoder.ofImpressions(IngestLimits.defaults());
    private final RecordDecoder<FeedbackEvent> rewardDecoder =
            FeedbackDecoder.ofRewards(IngestLimits.defaults());

    private JoinCost(TrafficShape shape, int windowSeconds, int checkpointSeconds) {
        this.shape = shape;
        this.windowSeconds = windowSeconds;
        this.checkpointSeconds = checkpointSeconds;
        this.rule =
                new RewardRule(
                        Duration.ofSeconds(windowSeconds), 0.0, RewardAggregation.FIRST, false);
    }

    /** Arguments: attribution window and time between checkpoints, in seconds of event time. */
    public static void main(String[] args) throws Exception {
        int windowSeconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int checkpointSeconds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        for (TrafficShape shape : TrafficShape.values()) {
            new JoinCost(shape, windowSeconds, checkpointSeconds).run();
        }
    }

    private void run() throws Exception {
        try (var harness =
                new RocksDbHarness<>(
                        new RewardJoin(JoinConfig.defaults(), BUCKETS, new Topics("benchmark")),
                        BUCKETS,
                        Types.INT,
                        LoopEvent.class)) {
            int before = 1_000 * windowSeconds + BEFORE;
            for (int i = 0; i < before; i++) {
                take(harness, i);
            }
            Cost making = Cost.of(COUNTED, i -> make(before + i));
            Cost cost = Cost.of(COUNTED, i -> take(harness, before + i));
            byte[] impression = impression(1);
            Cost ingest = Cost.best(3, COUNTED, i -> event(impressionDecoder, impression));
            System.out.printf(
                    Locale.ROOT,
                    "{\"shape\":\"%s\",\"window\":%d,\"checkpoint\":%d,"
                            + "\"ingestNsPerImpression\":%.0f,\"cpuNsPerDecision\":%.0f,\"threadNsPerDecision\":%.0f,"
                            + "\"bytesPerDecision\":%.0f}%n",
                    shape,
                    windowSeconds,
                    checkpointSeconds,
                    ingest.threadNs(),
                    cost.ns() - making.ns(),
                    cost.threadNs() - making.threadNs(),
                    cost.bytes() - making.bytes());
        }
    }

    private void take(RocksDbHarness<FeedbackEvent, LoopEvent> harness, int number)
            throws Exception {
        for (FeedbackEvent event : make(number)) {
            harness.take(event, event.timeMs());
        }
        if (number % EVENTS_PER_WATERMARK == 0) {
            harness.watermark(START.plusMillis(number).toEpochMilli());
        }
        if (checkpointSeconds > 0 && number % (1_000 * checkpointSeconds) == 0) {
            harness.checkpoint();
        }
    }

    private byte[] impression(int number) {
        return impressions.encode(
                conversion.toRecord(
                        shape.impression(
                                number,
                                "loop",
                                START.plusMillis(number),
                                rule,
                                OptionalDouble.empty())));
    }

    /** A decision and the reward of an earlier one. */
    private FeedbackEvent[] make(int number) {
        Instant time = START.plusMillis(number);
        FeedbackEvent impression = event(impressionDecoder, impression(number));
        if (number % 3 != 0 || number < LATER) {
            return new FeedbackEvent[] {impression};
        }
        String rewarded = "e-%09d".formatted(number - LATER);
        return new FeedbackEvent[] {
            impression,
            event(
                    rewardDecoder,
                    rewards.encode(
                            new RewardRecord(
                                    "r", rewarded, "loop", time, 1.0, RewardMetricRecord.REWARD)))
        };
    }

    private static FeedbackEvent event(RecordDecoder<FeedbackEvent> decoder, byte[] value) {
        RawRecord raw =
                new RawRecord(
                        "feedback",
                        0,
                        0,
                        START.plus(Duration.ofDays(1)).toEpochMilli(),
                        "key".getBytes(StandardCharsets.UTF_8),
                        value);
        return Objects.requireNonNull(decoder.decode(raw).event());
    }
}
