package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateLimitTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void aClientHasASecondsWorthAtOnceAndThenItsRate() {
        RateLimit limit = new RateLimit(10);
        int allowed = 0;
        for (int i = 0; i < 100; i++) {
            allowed += limit.allows("a", 0) ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(10);
        assertThat(limit.allows("b", 0)).as("another client").isTrue();
        assertThat(limit.allows("a", SECOND / 20)).isFalse();
        assertThat(limit.allows("a", SECOND / 10 + SECOND / 20)).isTrue();
        allowed = 0;
        for (int i = 0; i < 100; i++) {
            allowed += limit.allows("a", 100 * SECOND) ? 1 : 0;
        }
        assertThat(allowed).as("a long rest saves no more than a second's worth").isEqualTo(10);
    }

    @Test
    void withoutALimitAllPass() {
        RateLimit limit = new RateLimit(0);
        for (int i = 0; i < 1_000; i++) {
            assertThat(limit.allows("a", 0)).isTrue();
        }
    }
}
