package io.counterflow.client.kafka;

import io.counterflow.core.numeric.Require;
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
        Require.atLeast(1, bufferBytes, "bufferBytes");
    }
}
