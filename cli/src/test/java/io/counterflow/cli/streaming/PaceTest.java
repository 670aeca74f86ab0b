package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PaceTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private long nowNs = 17;

    private void pass(long nanos) {
        nowNs += nanos;
    }

    private Duration elapsed() {
        return Duration.ofNanos(nowNs - 17);
    }

    @Test
    void theMeanRateIsKeptEvenIfSendingIsSlow() throws Exception {
        Pace pace = new Pace(100, () -> nowNs, this::pass);
        for (int i = 0; i <= 100; i++) {
            pace.await(START);
            pass(4_000_000);
        }
        assertThat(elapsed()).isEqualTo(Duration.ofMillis(1_004));
    }

    @Test
    void pausesAreKeptAndEarlierTimesDoNotWait() throws Exception {
        Pace pace = new Pace(Pace.AS_RECORDED, () -> nowNs, this::pass);
        pace.await(START);
        pace.await(START.plusSeconds(3));
        assertThat(elapsed()).isEqualTo(Duration.ofSeconds(3));
        pace.await(START.plusSeconds(1));
        assertThat(elapsed()).isEqualTo(Duration.ofSeconds(3));
        pace.await(START.plusSeconds(5));
        assertThat(elapsed()).isEqualTo(Duration.ofSeconds(5));
    }
}
