package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JobProgressTest {

    /** A clock that stands until it is moved. */
    private static final class MovedClock extends Clock {
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        void pass(long seconds) {
            now = now.plusSeconds(seconds);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final MovedClock clock = new MovedClock();
    private final JobProgress<String> progress = new JobProgress<>(clock);

    @Test
    void aJobThatNeverCommittedIsNotSeen() {
        progress.take(Map.of("a", 10L), Map.of());
        assertThat(progress.state().seen()).isFalse();
        assertThat(progress.state().isStalled()).isFalse();
    }

    @Test
    void howFarItIsBehindCountsPartitionsThatItHasRead() {
        progress.take(Map.of("a", 10L, "b", 7L), Map.of("a", 4L, "b", 7L));
        assertThat(progress.state().behind()).isEqualTo(6);
    }

    @Test
    void patienceFollowsTheUsualTimeBetweenCommits() {
        for (long place = 1; place <= 6; place++) {
            progress.take(Map.of("a", 100L), Map.of("a", place));
            watch(20);
        }
        assertThat(progress.state().usualSilence()).hasValue(Duration.ofSeconds(20));
        assertThat(progress.state().isStalled()).isFalse();
        watch(40);
        progress.take(Map.of("a", 100L), Map.of("a", 6L));
        assertThat(progress.state().isStalled()).isFalse();
        clock.pass(1);
        assertThat(progress.state().isStalled()).isTrue();
        progress.take(Map.of("a", 100L), Map.of("a", 7L));
        assertThat(progress.state().isStalled()).isFalse();
    }

    @Test
    void aJobThatStoodWhenItWasSeenFirstIsGivenSomeTime() {
        progress.take(Map.of("a", 100L), Map.of("a", 6L));
        watch(44);
        progress.tick();
        clock.pass(1);
        assertThat(progress.state().isStalled()).isFalse();
        clock.pass(1);
        assertThat(progress.state().isStalled()).isTrue();
    }

    @Test
    void kafkaIsAwayWhenItHasNotAnsweredForAWhile() {
        progress.take(Map.of(), Map.of());
        clock.pass(8);
        assertThat(progress.state().kafkaIsSilent()).isFalse();
        clock.pass(1);
        assertThat(progress.state().kafkaIsSilent()).isTrue();
    }

    /** As the watching thread does it: a tick every two seconds. */
    private void watch(int seconds) {
        for (int i = 0; i < seconds; i += 2) {
            progress.tick();
            clock.pass(2);
        }
    }

    @Test
    void theTimeInWhichThisProcessWasSuspendedCountsForNothing() {
        progress.tick();
        progress.take(Map.of("a", 100L), Map.of("a", 6L));
        progress.take(Map.of("a", 100L), Map.of("a", 7L));
        clock.pass(1);
        progress.take(Map.of("a", 100L), Map.of("a", 8L));
        clock.pass(3_600);
        assertThat(progress.state().isStalled()).as("before the next tick").isFalse();
        progress.tick();
        assertThat(progress.state().silence()).hasValue(Duration.ofSeconds(9));
        progress.take(Map.of("a", 100L), Map.of("a", 8L));
        assertThat(progress.state().kafkaIsSilent()).isFalse();
        clock.pass(7);
        assertThat(progress.state().silence()).hasValue(Duration.ofSeconds(16));
        assertThat(progress.state().isStalled()).as("it has not moved since").isTrue();
    }

    @Test
    void aJobIsMissingWhenItHasNotCommittedForAWhile() {
        watch(30);
        assertThat(progress.state().isMissing()).isFalse();
        watch(2);
        assertThat(progress.state().isMissing()).isTrue();
        progress.take(Map.of("a", 100L), Map.of("a", 6L));
        assertThat(progress.state().isMissing()).isFalse();
    }
}
