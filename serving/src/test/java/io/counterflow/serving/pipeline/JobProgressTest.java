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
            clock.pass(20);
        }
        assertThat(progress.state().usualSilence()).hasValue(Duration.ofSeconds(20));
        assertThat(progress.state().isStalled()).isFalse();
        clock.pass(40);
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
        clock.pass(45);
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
}
