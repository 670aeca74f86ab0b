package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.JobState;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the offsets that the job commits. Because of heartbeats, the offsets of a job that
 * completes checkpoints advance even without traffic. Thread-safe.
 *
 * @param <P> identifies a partition
 */
final class JobProgress<P> {

    private static final int GAPS = 5;

    /** Longest time between two ticks, also if Kafka does not answer. */
    private static final long MAX_TICK_MS = 10_000;

    private final Clock clock;
    private final long startMs;
    private final Deque<Duration> gaps = new ArrayDeque<>();
    private Map<P, Long> committed = Map.of();
    private long behind;
    private boolean everMoved;
    private @Nullable Long movedMs; // null before the first offsets
    private long answeredMs;
    private long tickMs; // by the clock; all other times leave out the time of suspension
    private long suspendedMs;

    JobProgress(Clock clock) {
        this.clock = clock;
        this.tickMs = clock.millis();
        this.startMs = tickMs;
        this.answeredMs = tickMs;
    }

    /**
     * Must be called before each request to Kafka. A long time without a call means that this
     * process was suspended, and says nothing about Kafka and the job.
     */
    synchronized void tick() {
        suspendedMs = clock.millis() - nowMs();
        tickMs = clock.millis();
    }

    private long nowMs() {
        return Math.min(clock.millis(), tickMs + MAX_TICK_MS) - suspendedMs;
    }

    /** Adds end offsets and committed offsets; partitions without a commit are missing. */
    synchronized void take(Map<P, Long> ends, Map<P, Long> places) {
        long now = nowMs();
        answeredMs = now;
        if (!places.isEmpty() && !places.equals(committed)) {
            if (movedMs != null && everMoved) {
                gaps.addLast(Duration.ofMillis(now - movedMs));
                if (gaps.size() > GAPS) {
                    gaps.removeFirst();
                }
            }
            everMoved = movedMs != null; // the first offsets may be old
            movedMs = now;
        }
        committed = Map.copyOf(places);
        behind = 0;
        for (Map.Entry<P, Long> place : places.entrySet()) {
            behind += Math.max(0, ends.getOrDefault(place.getKey(), 0L) - place.getValue());
        }
    }

    synchronized JobState state() {
        long now = nowMs();
        return new JobState(
                movedMs != null,
                Optional.ofNullable(movedMs).map(it -> Duration.ofMillis(now - it)),
                gaps.isEmpty() ? Optional.empty() : Optional.of(Collections.max(gaps)),
                behind,
                Duration.ofMillis(Math.max(0, now - answeredMs)),
                Duration.ofMillis(Math.max(0, now - startMs)));
    }
}
