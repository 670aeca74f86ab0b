package io.counterflow.client;

import io.counterflow.core.numeric.Require;
import java.time.Duration;

/**
 * Retries of rewards and activations. Retrying is safe, because duplicates count once.
 *
 * @param attempts limit on attempts; 1 for no retry
 * @param firstPause pause before the second attempt, which doubles for each further attempt
 */
public record Retries(int attempts, Duration firstPause) {

    private static final int MAX_DOUBLINGS = 6;

    public Retries {
        Require.atLeast(1, attempts, "attempts");
        Require.that(
                !firstPause.isNegative(), "firstPause must not be negative, got %s", firstPause);
    }

    /** Five attempts within 3.5 seconds. */
    public static Retries defaults() {
        return new Retries(5, Duration.ofMillis(250));
    }

    public static Retries none() {
        return new Retries(1, Duration.ZERO);
    }

    Duration pauseAfter(int attempt) {
        return firstPause.multipliedBy(1L << Math.min(attempt - 1, MAX_DOUBLINGS));
    }
}
