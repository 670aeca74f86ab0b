package io.counterflow.flink.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class LoopTallyTest {

    private final LoopTally tally = new LoopTally("test.loop-counts", 1_000);

    private List<LoopCountsRecord> report(long nowMs) throws UndecodableRecordException {
        List<OutgoingRecord> written = new ArrayList<>();
        tally.report(nowMs, written::add);
        WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
        List<LoopCountsRecord> records = new ArrayList<>();
        for (OutgoingRecord record : written) {
            assertThat(record.topic()).isEqualTo("test.loop-counts");
            LoopCountsRecord counts = codec.decode(Objects.requireNonNull(record.value()));
            assertThat(record.key()).isEqualTo(counts.getLoop().getBytes(StandardCharsets.UTF_8));
            records.add(counts);
        }
        return records;
    }

    @Test
    void eachReportCoversTheTimeSinceTheOneBefore() throws Exception {
        tally.example("home", 41, 3, 7);
        tally.example("home", 42, 0, 8);
        tally.unused(UnusedKindRecord.DEAD_LETTER, "home", "EXAMPLE", "first");
        tally.unused(UnusedKindRecord.DEAD_LETTER, "home", "EXAMPLE", "second");
        tally.unused(UnusedKindRecord.LATE, LoopTally.NO_LOOP, "ORPHANED", "alone");
        assertThat(report(5_000))
                .containsExactly(
                        new LoopCountsRecord(
                                "home",
                                Instant.ofEpochMilli(1_000),
                                2L,
                                new LearnedCountRecord(42L, 0L, 8L),
                                List.of(
                                        new UnusedCountRecord(
                                                UnusedKindRecord.DEAD_LETTER,
                                                "EXAMPLE",
                                                2L,
                                                "second")),
                                0L,
                                0L),
                        new LoopCountsRecord(
                                "",
                                Instant.ofEpochMilli(1_000),
                                0L,
                                null,
                                List.of(
                                        new UnusedCountRecord(
                                                UnusedKindRecord.LATE, "ORPHANED", 1L, "alone")),
                                0L,
                                0L));
        assertThat(report(6_000)).as("nothing was counted since").isEmpty();
        tally.example("home", 43, 1, 8);
        assertThat(report(9_000))
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.getSince()).isEqualTo(Instant.ofEpochMilli(6_000));
                            assertThat(it.getExamples()).isEqualTo(1);
                        });
    }

    @Test
    void namesInRefusedRecordsCannotFillTheMemory() throws Exception {
        for (int i = 0; i < 3 * LoopTally.MAX_LOOPS; i++) {
            tally.unused(UnusedKindRecord.DEAD_LETTER, "made-up-" + i, "NAME", "x".repeat(10_000));
        }
        tally.example("home", 1, 1, 0);
        tally.unused(UnusedKindRecord.LATE, "home", "ORPHANED", "of a loop that has examples");
        List<LoopCountsRecord> records = report(2_000);
        assertThat(records).hasSize(LoopTally.MAX_LOOPS + 2);
        LoopCountsRecord others = records.get(LoopTally.MAX_LOOPS);
        assertThat(others.getLoop()).isEqualTo(LoopTally.NO_LOOP);
        assertThat(others.getUnused().get(0).getCount()).isEqualTo(2L * LoopTally.MAX_LOOPS);
        assertThat(others.getUnused().get(0).getReason()).hasSize(300);
        assertThat(records.get(LoopTally.MAX_LOOPS + 1).getUnused()).hasSize(1);
    }

    @Test
    void arrivalsAreReportedAtOnceAndThenOnceAMinute() throws Exception {
        tally.decision("home");
        tally.decision("home");
        tally.reward("home");
        assertThat(report(5_000))
                .extracting(
                        LoopCountsRecord::getLoop,
                        LoopCountsRecord::getDecisions,
                        LoopCountsRecord::getRewards)
                .containsExactly(tuple("home", 2L, 1L));
        tally.decision("home");
        assertThat(report(64_999)).as("less than a minute later").isEmpty();
        tally.decision("home");
        assertThat(report(65_000))
                .extracting(LoopCountsRecord::getDecisions, LoopCountsRecord::getRewards)
                .containsExactly(tuple(2L, 0L));
        assertThat(report(200_000)).as("nothing has arrived").isEmpty();
        tally.reward("home");
        assertThat(report(200_001))
                .extracting(LoopCountsRecord::getDecisions, LoopCountsRecord::getRewards)
                .containsExactly(tuple(0L, 1L));
    }

    @Test
    void arrivalsGoWithOtherCountsOfTheirLoop() throws Exception {
        tally.decision("home");
        report(5_000);
        tally.reward("home");
        tally.unused(UnusedKindRecord.LATE, "home", "ORPHANED", "alone");
        assertThat(report(6_000))
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.getRewards()).isEqualTo(1);
                            assertThat(it.getUnused()).hasSize(1);
                        });
    }

    @Test
    void namesOfArrivalsCannotFillTheMemory() throws Exception {
        for (int i = 0; i < 2 * LoopTally.MAX_ARRIVING; i++) {
            tally.decision("made-up-" + i);
        }
        assertThat(report(5_000)).hasSize(LoopTally.MAX_ARRIVING);
    }
}
