package io.counterflow.client;

import io.counterflow.core.numeric.Require;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;

/**
 * How often a call is repeated. Repeating is safe, because duplicates count once.
 *
 * @param attempts limit on attempts; 1 for no retry
 * @param firstPause pause before the second attempt, which doubles for each further attempt
 * @param maxPause longest pause. If the server asks for a longer one, the call fails at once
 */
public record Retries(int attempts, Duration firstPause, Duration maxPause) {

    private static final int MAX_DOUBLINGS = 6;

    public Retries {
        Require.atLeast(1, attempts, "attempts");
        Require.that(
                !firstPause.isNegative(), "firstPause must not be negative, got %s", firstPause);
        Require.that(!maxPause.isNegative(), "maxPause must not be negative, got %s", maxPause);
    }

    /** Retries with pauses of at most 30 seconds. */
    public Retries(int attempts, Duration firstPause) {
        this(attempts, firstPause, Duration.ofSeconds(30));
    }

    /** Five attempts within four seconds, if the server is quick to refuse them. */
    public static Retries defaults() {
        return new Retries(5, Duration.ofMillis(250));
    }

    /** Two attempts within about a second: somebody waits for a decision. */
    public static Retries ofDecisions() {
        return new Retries(2, Duration.ofMillis(50), Duration.ofSeconds(1));
    }

    public static Retries none() {
        return new Retries(1, Duration.ZERO);
    }

    /**
     * The pause before the next attempt; empty if there is none.
     *
     * @param repeatTimeouts whether to repeat a call that the server has not answered in time
     */
    Optional<Duration> pauseAfter(int attempt, Throwable failure, boolean repeatTimeouts) {
        if (attempt >= attempts) {
            return Optional.empty();
        }
        Duration pause = shorter(doubled(attempt), maxPause);
        if (failure instanceof ProblemResponseException problem) {
            Duration asked = problem.retryAfter().orElse(Duration.ZERO);
            return problem.isTemporary() && asked.compareTo(maxPause) <= 0
                    ? Optional.of(asked.compareTo(pause) > 0 ? asked : pause)
                    : Optional.empty();
        }
        boolean answerIsLate =
                failure instanceof HttpTimeoutException
                        && !(failure instanceof HttpConnectTimeoutException);
        return failure instanceof IOException && (repeatTimeouts || !answerIsLate)
                ? Optional.of(pause)
                : Optional.empty();
    }

    private Duration doubled(int attempt) {
        return firstPause.multipliedBy(1L << Math.min(attempt - 1, MAX_DOUBLINGS));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
