package io.counterflow.client.kafka;

import java.time.Duration;

/**
 * How records are written.
 *
 * @param timeout after how long a record is given up that Kafka has not acknowledged
 * @param bufferBytes records that wait for Kafka; more of them are refused at once
 */
public record ProducerSettings(Duration timeout, long bufferBytes) {

    private static final Duration SHORTEST = Duration.ofMillis(10);

    public ProducerSettings {
        if (timeout.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(
                    "timeout must be at least %s, got %s".formatted(SHORTEST, timeout));
        }
        if (bufferBytes < 1) {
            throw new IllegalArgumentException(
                    "bufferBytes must be at least 1, got " + bufferBytes);
        }
    }
}
