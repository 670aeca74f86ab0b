package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.ReasonCount;
import io.counterflow.serving.diagnosis.RecentCount;
import io.counterflow.serving.diagnosis.UnusedRecords;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JobCountsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final long NOW_MS = NOW.toEpochMilli();
    private static final long SPAN_MS = RecentCount.SPAN.toMillis();

    private final JobCounts counts = new JobCounts();

    /** A report about ten seconds. */
    private void take(String loop, long untilMs, long examples, UnusedCountRecord... unused) {
        counts.take(
                new LoopCountsRecord(
                        loop,
                        Instant.ofEpochMilli(untilMs - 10_000),
                        examples,
                        examples == 0 ? null : new LearnedCountRecord(99L, examples, 4L),
                        List.of(unused),
                        0L,
                        0L),
                untilMs);
    }

    private static UnusedCountRecord late(String rule, long count, String reason) {
        return new UnusedCountRecord(UnusedKindRecord.LATE, rule, count, reason);
    }

    @Test
    void reportsOfTheLastMinutesAreAddedUp() {
        take("home", NOW_MS - SPAN_MS - 1, 1_000);
        take("home", NOW_MS - 20_000, 100);
        take("home", NOW_MS - 10_000, 300);
        take("other", NOW_MS, 7);
        FlowCount examples = counts.examples("home", NOW_MS);
        assertThat(examples.recent()).isEqualTo(400);
        assertThat(examples.last()).hasValue(NOW.minusSeconds(10));
        assertThat(examples.since()).hasValue(NOW.minusSeconds(30));
        assertThat(counts.examples("home", NOW_MS + SPAN_MS)).isEqualTo(FlowCount.none());
        assertThat(counts.examples("unknown", NOW_MS)).isEqualTo(FlowCount.none());
    }

    @Test
    void theRateIsThatOfTheNewestReportsUntilTheNextOneShouldHaveCome() {
        take("home", NOW_MS - 30_000, 5_000);
        take("home", NOW_MS - 15_000, 0);
        take("home", NOW_MS - 10_000, 100);
        take("home", NOW_MS, 300);
        assertThat(counts.examples("home", NOW_MS).perSecond()).isCloseTo(20, within(1e-9));
        assertThat(counts.examples("home", NOW_MS + 40_000).perSecond()).isEqualTo(20);
        assertThat(counts.examples("home", NOW_MS + 40_001).perSecond()).isZero();
    }

    @Test
    void aReportThatIsOlderInPartCountsInPart() {
        counts.take(
                new LoopCountsRecord("home", NOW.minusSeconds(70), 700L, null, List.of(), 0L, 0L),
                NOW_MS - 10_000);
        take("home", NOW_MS, 50);
        assertThat(counts.examples("home", NOW_MS).perSecond())
                .isCloseTo((700 / 6.0 + 50) / 20, within(1e-9));
    }

    @Test
    void unusedRecordsAreCountedByReason() {
        take(
                "home",
                NOW_MS - 10_000,
                0,
                late("ORPHANED", 2, "first"),
                new UnusedCountRecord(UnusedKindRecord.DEAD_LETTER, "TIME", 5L, "dead"),
                new UnusedCountRecord(UnusedKindRecord.RETRACTED, "", 4L, ""));
        take("home", NOW_MS, 0, late("ORPHANED", 1, "second"), late("RETRACTED", 9, "left"));
        UnusedRecords late = counts.late("home", NOW_MS);
        assertThat(late.count().recent()).isEqualTo(12);
        assertThat(late.count().last()).hasValue(NOW);
        assertThat(late.count().since()).hasValue(NOW.minusSeconds(20));
        assertThat(late.reasons())
                .containsExactly(
                        new ReasonCount("RETRACTED", 9, "left"),
                        new ReasonCount("ORPHANED", 3, "second"));
        assertThat(counts.deadLetters("home", NOW_MS).reasons())
                .containsExactly(new ReasonCount("TIME", 5, "dead"));
        assertThat(counts.retracted("home", NOW_MS).recent()).isEqualTo(4);
        assertThat(counts.late("home", NOW_MS + SPAN_MS)).isEqualTo(UnusedRecords.none());
        assertThat(counts.late("other", NOW_MS)).isEqualTo(UnusedRecords.none());
    }

    @Test
    void howFarALoopHasLearnedIsKnownLongerThanItsCounts() {
        assertThat(counts.sinceSnapshot("home")).isEmpty();
        take("home", NOW_MS - 2 * SPAN_MS, 3);
        take("home", NOW_MS, 0, late("ORPHANED", 1, ""));
        assertThat(counts.sinceSnapshot("home")).hasValue(3);
    }

    @Test
    void theLoopWithoutCountsForTheLongestTimeMakesRoom() {
        take("quiet", NOW_MS, 1);
        take("busy", NOW_MS, 1);
        for (int i = 0; i < JobCounts.MAX_LOOPS - 1; i++) {
            take("busy", NOW_MS, 0);
            take("loop-" + i, NOW_MS, 1);
        }
        assertThat(counts.sinceSnapshot("quiet")).isEmpty();
        assertThat(counts.sinceSnapshot("busy")).hasValue(1);
        assertThat(counts.sinceSnapshot("loop-0")).hasValue(1);
    }

    private void learned(long secondsAgo, long version) {
        counts.take(
                new LoopCountsRecord(
                        "home",
                        NOW.minusSeconds(secondsAgo + 10),
                        5L,
                        new LearnedCountRecord(99L, 5L, version),
                        List.of(),
                        0L,
                        0L),
                NOW_MS - 1_000 * secondsAgo);
    }

    @Test
    void theSnapshotOfAFrozenVersionIsGivenSomeTime() {
        assertThat(counts.frozenVersion("home", NOW_MS)).isZero();
        learned(35, 7);
        assertThat(counts.frozenVersion("home", NOW_MS)).isEqualTo(7);
        for (int secondsAgo = 25; secondsAgo >= 0; secondsAgo -= 5) {
            learned(secondsAgo, 100 - secondsAgo);
            assertThat(counts.frozenVersion("home", NOW_MS)).isEqualTo(7);
        }
        assertThat(counts.frozenVersion("home", NOW_MS + 30_000)).isEqualTo(100);
    }

    @Test
    void arrivalsAreCountedByLoop() {
        counts.take(
                new LoopCountsRecord("home", NOW.minusSeconds(10), 0L, null, List.of(), 300L, 20L),
                NOW_MS);
        assertThat(counts.decisions("home", NOW_MS).recent()).isEqualTo(300);
        assertThat(counts.rewards("home", NOW_MS).recent()).isEqualTo(20);
        assertThat(counts.examples("home", NOW_MS)).isEqualTo(FlowCount.none());
        assertThat(counts.decisions("other", NOW_MS)).isEqualTo(FlowCount.none());
    }
}
