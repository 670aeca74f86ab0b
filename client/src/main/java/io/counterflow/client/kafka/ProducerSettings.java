package io.counterflow.client.kafka;

import io.counterflow.core.numeric.Require;
import java.time.Duration;

/**
 * Settings of a producer.
 *
 * @param timeout timeout after which a record fails that Kafka has not acknowledged
 * @param bufferBytes memory for records that are not acknowledged; further records fail at once
 */
public record ProducerSettings(Duration timeout, long bufferBytes) {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);

    public ProducerSettings {
        if (timeout.compareTo(MIN_TIMEOUT) < 0) {
            throw new IllegalArgumentException(
                    "timeout must be at least %s, got %s".formatted(MIN_TIMEOUT, timeout));
        }
        Require.atLeast(1, bufferBytes, "bufferBytes");
    }
}
