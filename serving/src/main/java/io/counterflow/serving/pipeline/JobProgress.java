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

    private final Clock clock;
    private final Deque<Duration> gaps = new ArrayDeque<>();
    private Map<P, Long> committed = Map.of();
    private long behind;
    private boolean everMoved;
    private @Nullable Long movedMs; // null before the first offsets
    private long answeredMs;

    JobProgress(Clock clock) {
        this.clock = clock;
        this.answeredMs = clock.millis();
    }

    /** Adds end offsets and committed offsets; partitions without a commit are missing. */
    synchronized void take(Map<P, Long> ends, Map<P, Long> places) {
        long now = clock.millis();
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
        long now = clock.millis();
        return new JobState(
                movedMs != null,
                Optional.ofNullable(movedMs).map(it -> Duration.ofMillis(now - it)),
                gaps.isEmpty() ? Optional.empty() : Optional.of(Collections.max(gaps)),
                behind,
                Duration.ofMillis(Math.max(0, now - answeredMs)));
    }
}
