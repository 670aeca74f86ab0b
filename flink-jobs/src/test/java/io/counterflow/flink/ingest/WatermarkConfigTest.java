package io.counterflow.flink.ingest;

import static io.counterflow.flink.Feedback.LOGGED_AT;
import static io.counterflow.flink.Feedback.START;
import static io.counterflow.flink.Feedback.at;
import static io.counterflow.flink.Feedback.raw;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.RewardRecord;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;
import org.junit.jupiter.api.Test;

final class WatermarkConfigTest {

    private static final WatermarkConfig CONFIG =
            new WatermarkConfig(
                    Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(5));

    private final RecordDecoder<FeedbackEvent> decoder =
            FeedbackDecoder.ofRewards(IngestLimits.defaults());
    private final IngestWatermarks<FeedbackEvent> watermarks = new IngestWatermarks<>(5_000);
    private long emittedMs;

    private final WatermarkOutput output =
            new WatermarkOutput() {
                @Override
                public void emitWatermark(Watermark watermark) {
                    emittedMs = watermark.getTimestamp();
                }

                @Override
                public void markIdle() {
                    throw new AssertionError("idleness is decided around the generator");
                }

                @Override
                public void markActive() {
                    throw new AssertionError("idleness is decided around the generator");
                }
            };

    private void take(RawRecord raw) {
        Ingested<FeedbackEvent> ingested = decoder.decode(raw);
        watermarks.onEvent(ingested, ingested.timestampMs(), output);
        watermarks.onPeriodicEmit(output);
    }

    @Test
    void beforeTheFirstRecordTimeHasNotBegun() {
        watermarks.onPeriodicEmit(output);
        assertThat(emittedMs).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void theWatermarkStaysBehindTheLatestEvent() {
        take(raw(RewardRecord.class, reward("r", "e", 10_000, 1.0)));
        assertThat(emittedMs).isEqualTo(at(4_999));
        take(raw(RewardRecord.class, reward("r", "e", 9_000, 1.0)));
        assertThat(emittedMs).isEqualTo(at(4_999));
    }

    @Test
    void aHeartbeatMovesIt() {
        take(raw(HeartbeatRecord.class, new HeartbeatRecord("s", START.plusSeconds(20))));
        assertThat(emittedMs).isEqualTo(at(14_999));
    }

    @Test
    void aRefusedRecordDoesNotMoveIt() {
        take(raw(RewardRecord.class, reward("r", "e", 10_000, 1.0)));
        take(raw(new byte[] {1}));
        assertThat(emittedMs).isEqualTo(at(4_999));
    }

    @Test
    void aFastClockMovesItNoFurtherThanKafkasTimestamp() {
        RewardRecord ahead = reward("r", "e", 0, 1.0);
        ahead.setTime(LOGGED_AT.plusSeconds(30));
        take(raw(RewardRecord.class, ahead));
        assertThat(emittedMs).isEqualTo(LOGGED_AT.toEpochMilli() - 5_001);
    }

    @Test
    void theStrategyTakesEventTimeAndAligns() {
        var strategy = CONFIG.<FeedbackEvent>feedback();
        Ingested<FeedbackEvent> ingested =
                decoder.decode(raw(RewardRecord.class, reward("r", "e", 7, 1.0)));
        assertThat(
                        strategy.createTimestampAssigner(() -> null)
                                .extractTimestamp(ingested, LOGGED_AT.toEpochMilli()))
                .isEqualTo(at(7));
        assertThat(strategy.getAlignmentParameters().isEnabled()).isTrue();
    }

    @Test
    void aSilentPartitionIsIdleAfterTheTimeout() {
        assertThat(isIdleAfter(Duration.ofMinutes(1), Duration.ofSeconds(61))).isTrue();
        assertThat(isIdleAfter(Duration.ofMinutes(1), Duration.ofSeconds(59))).isFalse();
    }

    @Test
    void withATimeoutOfZeroAPartitionIsNeverIdle() {
        assertThat(isIdleAfter(Duration.ZERO, Duration.ofDays(1))).isFalse();
    }

    /** Whether a partition is idle that has no records for some time after the first. */
    private boolean isIdleAfter(Duration timeout, Duration silence) {
        ManualClock clock = new ManualClock(1); // zero means "not idle yet"
        WatermarkGenerator<Ingested<FeedbackEvent>> generator =
                new WatermarkConfig(Duration.ofSeconds(5), timeout, Duration.ofMinutes(5))
                        .<FeedbackEvent>feedback()
                        .createWatermarkGenerator(context(clock));
        boolean[] idle = new boolean[1];
        WatermarkOutput partition =
                new WatermarkOutput() {
                    @Override
                    public void emitWatermark(Watermark watermark) {
                        idle[0] = false;
                    }

                    @Override
                    public void markIdle() {
                        idle[0] = true;
                    }

                    @Override
                    public void markActive() {
                        idle[0] = false;
                    }
                };
        Ingested<FeedbackEvent> ingested =
                decoder.decode(raw(RewardRecord.class, reward("r", "e", 7, 1.0)));
        generator.onEvent(ingested, ingested.timestampMs(), partition);
        generator.onPeriodicEmit(partition);
        generator.onPeriodicEmit(partition); // the timeout starts with the first silent check
        clock.advanceTime(silence.toNanos(), TimeUnit.NANOSECONDS);
        generator.onPeriodicEmit(partition);
        return idle[0];
    }

    private static WatermarkGeneratorSupplier.Context context(RelativeClock clock) {
        return new WatermarkGeneratorSupplier.Context() {
            @Override
            public MetricGroup getMetricGroup() {
                return new UnregisteredMetricsGroup();
            }

            @Override
            public RelativeClock getInputActivityClock() {
                return clock;
            }
        };
    }

    @Test
    void specsAndCommandsNeitherWaitForFeedbackNorHoldItBack() {
        var strategy = WatermarkConfig.<FeedbackEvent>control();
        assertThat(strategy.getAlignmentParameters().isEnabled()).isFalse();
        strategy.createWatermarkGenerator(context(SystemClock.getInstance()))
                .onPeriodicEmit(output);
        assertThat(emittedMs).isEqualTo(Long.MAX_VALUE - 1);
    }
}
