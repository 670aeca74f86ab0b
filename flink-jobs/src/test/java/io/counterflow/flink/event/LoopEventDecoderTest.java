package io.counterflow.flink.event;

import static io.counterflow.flink.Feedback.START;
import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.raw;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.Specs;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestRule;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LoopEventDecoderTest {

    private final RecordDecoder<LoopEvent> loops =
            LoopEventDecoder.ofSpecs(IngestLimits.defaults());
    private final RecordDecoder<LoopEvent> commands =
            LoopEventDecoder.ofCommands(IngestLimits.defaults());
    private final RecordDecoder<LoopEvent> examples =
            LoopEventDecoder.ofExamples(IngestLimits.defaults());

    private static LoopSpecRecord spec(String loop, long version) {
        return Specs.spec(loop, version, START);
    }

    private static RolloutCommandRecord command(String id) {
        return Specs.command(id, "home", START.plusMillis(5));
    }

    private static LoggedExampleRecord example(double reward) {
        return new LoggedExampleRecord(
                impression("e", 0),
                reward,
                null,
                RewardOriginRecord.OBSERVED,
                1,
                START.plusSeconds(1));
    }

    private static IngestRule refusedBy(Ingested<LoopEvent> ingested) {
        assertThat(ingested.event()).isNull();
        return Objects.requireNonNull(ingested.refusal()).rule();
    }

    @Test
    void eachTopicGivesItsKindOfEvent() {
        RawRecord spec = raw(LoopSpecRecord.class, spec("home", 12));
        assertThat(loops.decode(spec).event())
                .isEqualTo(
                        new LoopEvent(
                                LoopEventKind.SPEC,
                                "home",
                                1_000L * Feedback.at(0),
                                "0000000000000000012",
                                spec));
        RawRecord command = raw(RolloutCommandRecord.class, command("c-1"));
        assertThat(commands.decode(command).event())
                .isEqualTo(
                        new LoopEvent(
                                LoopEventKind.COMMAND,
                                "home",
                                1_000L * Feedback.at(5),
                                "c-1",
                                command));
        RawRecord example = raw(LoggedExampleRecord.class, example(1.0));
        assertThat(examples.decode(example).event())
                .isEqualTo(
                        new LoopEvent(
                                LoopEventKind.EXAMPLE,
                                "home",
                                1_000L * Feedback.at(1_000),
                                "e",
                                example));
    }

    @Test
    void versionsOfSpecsAreOrderedAsNumbers() {
        assertThat(LoopEventDecoder.specId(9)).isLessThan(LoopEventDecoder.specId(10));
        assertThat(LoopEventDecoder.specId(Long.MAX_VALUE)).hasSize(19);
    }

    @Test
    void aHeartbeatMovesTimeOnEveryTopic() {
        RawRecord heartbeat = raw(HeartbeatRecord.class, new HeartbeatRecord("s", START));
        for (RecordDecoder<LoopEvent> decoder : List.of(loops, commands, examples)) {
            Ingested<LoopEvent> ingested = decoder.decode(heartbeat);
            assertThat(ingested.event()).isNull();
            assertThat(ingested.refusal()).isNull();
            assertThat(ingested.timestampMs()).isEqualTo(Feedback.at(0));
        }
    }

    @Test
    void whatBreaksARuleIsRefusedByItsName() {
        assertThat(refusedBy(loops.decode(raw(LoopSpecRecord.class, spec("a/b", 1)))))
                .isEqualTo(IngestRule.NAME);
        assertThat(refusedBy(loops.decode(raw(LoopSpecRecord.class, spec("..", 1)))))
                .isEqualTo(IngestRule.NAME);
        assertThat(refusedBy(loops.decode(raw(LoopSpecRecord.class, spec("home", -1)))))
                .isEqualTo(IngestRule.INCONSISTENT);
        assertThat(refusedBy(commands.decode(raw(RolloutCommandRecord.class, command("")))))
                .isEqualTo(IngestRule.NAME);
        RolloutCommandRecord wordy = command("c");
        wordy.setReason("x".repeat(4_097));
        assertThat(refusedBy(commands.decode(raw(RolloutCommandRecord.class, wordy))))
                .isEqualTo(IngestRule.TOO_LARGE);
        RolloutCommandRecord ahead = command("c");
        ahead.setTime(Feedback.LOGGED_AT.plus(Duration.ofMinutes(2)));
        assertThat(refusedBy(commands.decode(raw(RolloutCommandRecord.class, ahead))))
                .isEqualTo(IngestRule.TIME);
        assertThat(refusedBy(examples.decode(raw(LoggedExampleRecord.class, example(Double.NaN)))))
                .isEqualTo(IngestRule.REWARD);
        LoggedExampleRecord impossible = example(1.0);
        impossible.getImpression().setPropensity(0.0);
        assertThat(refusedBy(examples.decode(raw(LoggedExampleRecord.class, impossible))))
                .isEqualTo(IngestRule.PROPENSITY);
        assertThat(refusedBy(loops.decode(raw(RewardRecord.class, reward("r", "e", 1, 1.0)))))
                .isEqualTo(IngestRule.UNKNOWN_SCHEMA);
    }

    /** A job that is drained closes windows that end after the clock of the broker. */
    @Test
    void anExampleMayBeAheadOfKafkasClock() {
        LoggedExampleRecord ahead = example(1.0);
        ahead.setAvailableAt(Feedback.LOGGED_AT.plus(Duration.ofDays(3)));
        LoopEvent event = examples.decode(raw(LoggedExampleRecord.class, ahead)).event();
        assertThat(Objects.requireNonNull(event).timeMs())
                .isEqualTo(ahead.getAvailableAt().toEpochMilli());

        for (String nonsense : List.of("1970-01-01T00:00:00Z", "+10000-01-01T00:00:00Z")) {
            LoggedExampleRecord odd = example(1.0);
            odd.setAvailableAt(Instant.parse(nonsense));
            assertThat(refusedBy(examples.decode(raw(LoggedExampleRecord.class, odd))))
                    .as(nonsense)
                    .isEqualTo(IngestRule.TIME);
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void damagedBytesAreNeverAnException(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = WireCodec.of(LoopSpecRecord.class).encode(spec("home", 1));
        for (int i = 0; i < 3; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        for (RecordDecoder<LoopEvent> decoder : List.of(loops, commands, examples)) {
            Ingested<LoopEvent> ingested = decoder.decode(raw(bytes));
            assertThat(ingested.event() == null || ingested.refusal() == null)
                    .as("seed %d", seed)
                    .isTrue();
        }
    }
}
