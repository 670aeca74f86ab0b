package io.counterflow.cli.streaming;

import io.counterflow.cli.console.Output;
import io.counterflow.schemas.topics.KafkaConfig;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/** Waits for Kafka at the start of a command, and says so. */
public final class BrokerWait {

    /** After this time without an answer, the user should know. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final Duration MAX_WAIT = Duration.ofMinutes(1);

    private BrokerWait() {}

    /**
     * Waits until a broker answers.
     *
     * @throws IllegalStateException if none does within a minute, or Kafka refuses the connection
     */
    public static void await(KafkaConfig kafka, Output output) {
        await(kafka, output, SILENCE, MAX_WAIT);
    }

    static void await(KafkaConfig kafka, Output output, Duration silence, Duration maxWait) {
        String servers = kafka.bootstrapServers();
        output.note("connecting to Kafka at " + servers);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture.delayedExecutor(silence.toMillis(), TimeUnit.MILLISECONDS)
                .execute(
                        () -> {
                            if (!over.get()) {
                                output.warn(
                                        "no broker has answered at %s yet; trying for %d seconds. Is kafka.bootstrap-servers right?"
                                                .formatted(servers, maxWait.toSeconds()));
                            }
                        });
        Properties properties = kafka.properties();
        properties.put(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(maxWait.toMillis()));
        properties.putIfAbsent(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                Long.toString(Math.min(maxWait.toMillis(), 10_000)));
        try (Admin admin = Admin.create(properties)) {
            var unused = admin.describeCluster().nodes().get();
        } catch (ExecutionException | KafkaException e) {
            Throwable reason = e instanceof ExecutionException wrapped ? wrapped.getCause() : e;
            throw new IllegalStateException(
                    "Kafka at %s: %s"
                            .formatted(
                                    servers,
                                    reason instanceof TimeoutException
                                            ? "no broker has answered within %d seconds"
                                                    .formatted(maxWait.toSeconds())
                                            : reason),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for Kafka", e);
        } finally {
            over.set(true);
        }
    }
}
