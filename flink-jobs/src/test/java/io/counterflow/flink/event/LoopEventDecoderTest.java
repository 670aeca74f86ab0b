package io.counterflow.flink.event;

import static io.counterflow.flink.Feedback.START;
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
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
    private final RecordDecoder<LoopEvent> journal =
            LoopEventDecoder.ofJournal(IngestLimits.defaults());

    private static LoopSpecRecord spec(String loop, long version) {
        return Specs.spec(loop, version, START);
    }

    private static RolloutCommandRecord command(String id) {
        return Specs.command(id, "home", START.plusMillis(5));
    }

    private static JournalRecord entry(JournalKindRecord kind, long sequence) {
        return new JournalRecord(
                kind,
                "home",
                sequence,
                START.plusSeconds(1),
                3,
                99L,
                ByteBuffer.wrap(new byte[] {1, 2}),
                new OutcomeRecord(0.5, 0.75, RewardOriginRecord.OBSERVED, 2));
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
                                LoopEventKind.SPEC, "home", 1_000L * Feedback.at(0), "12", spec));
        RawRecord command = raw(RolloutCommandRecord.class, command("c-1"));
        assertThat(commands.decode(command).event())
                .isEqualTo(
                        new LoopEvent(
                                LoopEventKind.COMMAND,
                                "home",
                                1_000L * Feedback.at(5),
                                "c-1",
                                command));
    }

    @Test
    void aTombstoneDeletesALoop() {
        RawRecord tombstone =
                new RawRecord("loops", 1, 2, 7, "home".getBytes(StandardCharsets.UTF_8), null);
        assertThat(loops.decode(tombstone).event())
                .isEqualTo(new LoopEvent(LoopEventKind.DELETION, "home", 7_000, "", tombstone));
        RawRecord ofNobody = new RawRecord("loops", 1, 2, 7, null, null);
        assertThat(refusedBy(loops.decode(ofNobody))).isEqualTo(IngestRule.NAME);
        assertThat(refusedBy(commands.decode(tombstone))).isEqualTo(IngestRule.EMPTY);
    }

    @Test
    void anEntryOfTheJournalIsTheEventThatTheLoopTook() {
        RawRecord raw = raw(JournalRecord.class, entry(JournalKindRecord.EXAMPLE, 12));
        LoopEvent event = Objects.requireNonNull(journal.decode(raw).event());
        assertThat(event.kind()).isEqualTo(LoopEventKind.EXAMPLE);
        assertThat(event.loop()).isEqualTo("home");
        assertThat(event.sequence()).isEqualTo(12);
        assertThat(event.timeMs()).isEqualTo(Feedback.at(1_000));
        assertThat(event.outcome())
                .isEqualTo(new Outcome(0.5, 0.75, RewardOriginRecord.OBSERVED, 2));
        assertThat(event.raw().value()).containsExactly(1, 2);
        assertThat(event.raw().partition()).isEqualTo(3);
        assertThat(event.raw().offset()).isEqualTo(99);

        assertThat(
                        refusedBy(
                                journal.decode(
                                        raw(
                                                JournalRecord.class,
                                                entry(JournalKindRecord.UNKNOWN, 12)))))
                .isEqualTo(IngestRule.INCONSISTENT);
        assertThat(
                        refusedBy(
                                journal.decode(
                                        raw(
                                                JournalRecord.class,
                                                entry(JournalKindRecord.TIME, 0)))))
                .isEqualTo(IngestRule.INCONSISTENT);
    }

    @Test
    void aHeartbeatMovesTimeOnEveryTopic() {
        RawRecord heartbeat = raw(HeartbeatRecord.class, new HeartbeatRecord("s", START));
        for (RecordDecoder<LoopEvent> decoder : List.of(loops, commands, journal)) {
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
        assertThat(refusedBy(loops.decode(raw(RewardRecord.class, reward("r", "e", 1, 1.0)))))
                .isEqualTo(IngestRule.UNKNOWN_SCHEMA);
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
        for (RecordDecoder<LoopEvent> decoder : List.of(loops, commands, journal)) {
            Ingested<LoopEvent> ingested = decoder.decode(raw(bytes));
            assertThat(ingested.event() == null || ingested.refusal() == null)
                    .as("seed %d", seed)
                    .isTrue();
        }
    }
}
