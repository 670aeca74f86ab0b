package io.counterflow.serving.diagnosis;

import java.time.Duration;
import java.util.Optional;

/**
 * How the job is doing, as seen from what it has committed to Kafka.
 *
 * @param seen whether it has ever committed anything
 * @param silence how long its place in the topics has not moved; empty before it is known
 * @param usualSilence the longest time between two of its last commits; empty before it is known
 * @param behind impressions and rewards, heartbeats included, that it has not taken yet
 * @param kafkaSilence how long Kafka has not answered
 */
public record JobState(
        boolean seen,
        Optional<Duration> silence,
        Optional<Duration> usualSilence,
        long behind,
        Duration kafkaSilence) {

    private static final Duration MIN_PATIENCE = Duration.ofSeconds(15);
    private static final Duration PATIENCE_AT_FIRST = Duration.ofSeconds(45);
    private static final Duration KAFKA_PATIENCE = Duration.ofSeconds(8);
    private static final int USUAL_TIMES = 3;

    /** Whether Kafka does not answer. */
    public boolean kafkaIsAway() {
        return kafkaSilence.compareTo(KAFKA_PATIENCE) > 0;
    }

    /** Whether it has been still for much longer than between two checkpoints. */
    public boolean standsStill() {
        return silence.isPresent() && silence.get().compareTo(patience()) > 0;
    }

    /** How long it may be still. */
    Duration patience() {
        Duration usual =
                usualSilence.map(it -> it.multipliedBy(USUAL_TIMES)).orElse(PATIENCE_AT_FIRST);
        return usual.compareTo(MIN_PATIENCE) < 0 ? MIN_PATIENCE : usual;
    }
}
