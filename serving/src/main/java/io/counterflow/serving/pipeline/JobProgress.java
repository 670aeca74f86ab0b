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
 * Follows the job's place in the topics that it reads. Heartbeats come all the time, so a job that
 * runs and completes checkpoints moves all the time, whatever the traffic. Safe for several
 * threads.
 *
 * @param <P> what stands for a partition
 */
final class JobProgress<P> {

    private static final int GAPS = 5;

    private final Clock clock;
    private final Deque<Duration> gaps = new ArrayDeque<>();
    private Map<P, Long> committed = Map.of();
    private long behind;
    private boolean everMoved;
    private @Nullable Long movedMs; // null before it was seen
    private long answeredMs;

    JobProgress(Clock clock) {
        this.clock = clock;
        this.answeredMs = clock.millis();
    }

    /** Kafka says where the topics end, and where the job is; partitions without a place lack. */
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
            everMoved = movedMs != null; // when it was seen first, it may have stood for long
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
