package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class LoopCountsTest {

    private static final long NOW = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    @Test
    void whatIsOlderThanTheSpanIsNotCounted() {
        RecentCount count = new RecentCount();
        count.add(NOW - RecentCount.SPAN.toMillis() - 10_000);
        count.add(NOW - 60_000);
        count.add(NOW);
        assertThat(count.read(NOW).recent()).isEqualTo(2);
        assertThat(count.read(NOW + RecentCount.SPAN.toMillis() - 50_000).recent()).isEqualTo(1);
        assertThat(count.read(NOW + 10 * RecentCount.SPAN.toMillis()).recent()).isZero();
        assertThat(count.read(NOW).last()).hasValue(Instant.ofEpochMilli(NOW));
        assertThat(count.total()).isEqualTo(3);
    }

    @Test
    void recordsOutOfOrderFallIntoTheirOwnTime() {
        RecentCount count = new RecentCount();
        count.add(NOW);
        count.add(NOW - 30_000);
        assertThat(count.read(NOW).recent()).isEqualTo(2);
        assertThat(count.read(NOW).last()).hasValue(Instant.ofEpochMilli(NOW));
    }

    @Test
    void theRateIsThatOfTheLastSeconds() {
        RecentCount count = new RecentCount();
        for (long time = NOW - 60_000; time < NOW; time += 100) {
            count.add(time);
        }
        assertThat(count.read(NOW).perSecond()).isCloseTo(10.0, within(0.01));
        assertThat(count.read(NOW + 60_000).perSecond()).isZero();
    }

    @Test
    void aLongPauseBeginsAnotherFlow() {
        RecentCount count = new RecentCount();
        count.add(NOW - 100_000);
        count.add(NOW - 80_000);
        assertThat(count.read(NOW).since()).hasValue(Instant.ofEpochMilli(NOW - 100_000));
        count.add(NOW - 20_000);
        count.add(NOW);
        assertThat(count.read(NOW).since()).hasValue(Instant.ofEpochMilli(NOW - 20_000));
    }

    @Test
    void nothingHasNoRateAndNoTime() {
        assertThat(new LoopCounts().read("home", NOW)).isEqualTo(FlowCount.none());
    }

    @Test
    void theLoopThatWasQuietForLongestMakesRoom() {
        LoopCounts counts = new LoopCounts();
        counts.add("busy", NOW - 1_000);
        counts.add("quiet", NOW - 1_000);
        counts.add("busy", NOW);
        for (int i = 0; i < LoopCounts.MAX_LOOPS - 1; i++) {
            counts.add("loop-" + i, NOW + i);
        }
        assertThat(counts.total("quiet")).isZero();
        assertThat(counts.total("busy")).isEqualTo(2);
        assertThat(counts.total("loop-0")).isEqualTo(1);
        counts.add("another", NOW + LoopCounts.MAX_LOOPS);
        assertThat(counts.total("busy")).isZero();
        assertThat(counts.total("loop-0")).isEqualTo(1);
        assertThat(counts.total("another")).isEqualTo(1);
    }

    /** A loop without decisions here that the job counts would look like a fault. */
    @Test
    void asManyLoopsAreCountedAsTheJobCounts() {
        LoopCounts counts = new LoopCounts();
        for (int i = 0; i < JobCounts.MAX_LOOPS; i++) {
            counts.add("loop-" + i, NOW);
        }
        assertThat(counts.total("loop-0")).isEqualTo(1);
    }

    /** A scan of all loops for each of these records would take a minute. */
    @Test
    @Timeout(20)
    void makingRoomDoesNotScanAllLoops() {
        LoopCounts counts = new LoopCounts();
        for (int i = 0; i < 1_000_000; i++) {
            counts.add("loop-" + i % (2 * LoopCounts.MAX_LOOPS), NOW + i);
        }
        assertThat(counts.total("loop-" + (2 * LoopCounts.MAX_LOOPS - 1))).isEqualTo(1);
    }
}
