package io.counterflow.cli.backup;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;

/** Waits for answers of Kafka. */
final class Await {

    private static final Duration MAX_WAIT = Duration.ofMinutes(2);

    private Await() {}

    static <T> T of(Future<T> future) {
        try {
            return future.get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e);
        } catch (TimeoutException e) {
            throw new KafkaException("Kafka did not answer within " + MAX_WAIT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while waiting for Kafka", e);
        }
    }
}
