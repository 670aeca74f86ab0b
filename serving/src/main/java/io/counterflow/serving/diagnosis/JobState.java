package io.counterflow.serving.diagnosis;

import java.time.Duration;
import java.util.Optional;

/**
 * The state of the job, from its committed offsets.
 *
 * @param seen whether it has ever committed offsets
 * @param silence time since its offsets last changed; empty if unknown
 * @param usualSilence the longest time between its last commits; empty if unknown
 * @param behind lag in impressions and rewards, including heartbeats
 * @param kafkaSilence time since Kafka last answered
 * @param watched how long this process has watched the job
 */
public record JobState(
        boolean seen,
        Optional<Duration> silence,
        Optional<Duration> usualSilence,
        long behind,
        Duration kafkaSilence,
        Duration watched) {

    private static final Duration MIN_PATIENCE = Duration.ofSeconds(15);
    private static final Duration PATIENCE_AT_FIRST = Duration.ofSeconds(45);
    private static final Duration KAFKA_PATIENCE = Duration.ofSeconds(8);
    private static final int USUAL_TIMES = 3;

    /**
     * A job that starts together with this process commits its first offsets after a checkpoint.
     */
    private static final Duration FIRST_COMMIT = Duration.ofSeconds(30);

    /** Whether Kafka has not answered for some time. */
    public boolean kafkaIsSilent() {
        return kafkaSilence.compareTo(KAFKA_PATIENCE) > 0;
    }

    /** Whether it has never committed offsets, though there was time for it. */
    public boolean isMissing() {
        return !seen && watched.compareTo(FIRST_COMMIT) > 0;
    }

    /** Whether its offsets have not changed for much longer than between checkpoints. */
    public boolean isStalled() {
        return silence.isPresent() && silence.get().compareTo(patience()) > 0;
    }

    /** How long its offsets may stay the same. */
    Duration patience() {
        Duration usual =
                usualSilence.map(it -> it.multipliedBy(USUAL_TIMES)).orElse(PATIENCE_AT_FIRST);
        return usual.compareTo(MIN_PATIENCE) < 0 ? MIN_PATIENCE : usual;
    }
}
