package io.counterflow.client;

import io.counterflow.core.numeric.Require;
import java.time.Duration;

/**
 * How often rewards and activations are sent until they are accepted. Sent again they count once,
 * so that trying is safe.
 *
 * @param attempts how often one is sent at most; 1 for no second time
 * @param firstPause how long to wait before the second time; doubled each time after it
 */
public record Retries(int attempts, Duration firstPause) {

    private static final int MAX_DOUBLINGS = 6;

    public Retries {
        Require.atLeast(1, attempts, "attempts");
        if (firstPause.isNegative()) {
            throw new IllegalArgumentException(
                    "firstPause must not be negative, got " + firstPause);
        }
    }

    /** Five times within three seconds and a half. */
    public static Retries defaults() {
        return new Retries(5, Duration.ofMillis(250));
    }

    /** Never again. */
    public static Retries none() {
        return new Retries(1, Duration.ZERO);
    }

    /** How long to wait after so many attempts. */
    Duration pauseAfter(int attempt) {
        return firstPause.multipliedBy(1L << Math.min(attempt - 1, MAX_DOUBLINGS));
    }
}
