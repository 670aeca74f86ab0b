package io.counterflow.serving;

import io.counterflow.serving.health.ServingLog;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/** Connects to Kafka on a thread of its own, and tries again until a broker answers. */
final class KafkaConnection implements AutoCloseable {

    /** After this time without a broker, the log says so. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String servers;
    private final ServingLog log;
    private final CompletableFuture<ServingKafka> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> used = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean answered;

    /**
     * @param attempt connects, or throws a {@link KafkaException}; runs its argument when a broker
     *     has answered
     */
    KafkaConnection(String servers, Function<Runnable, ServingKafka> attempt, ServingLog log) {
        this.servers = servers;
        this.log = log;
        this.thread = new Thread(() -> connect(attempt), "connect-kafka");
        this.thread.setDaemon(true);
    }

    /**
     * Starts to connect.
     *
     * @param use receives the connection, on the thread that connects
     * @param failed receives a failure that a further attempt would not repair
     */
    void start(Consumer<ServingKafka> use, Consumer<Throwable> failed) {
        var unused =
                connected
                        .thenAccept(use)
                        .whenComplete(
                                (done, failure) -> {
                                    if (failure == null) {
                                        used.complete(null);
                                    } else {
                                        Throwable cause =
                                                Objects.requireNonNullElse(
                                                        failure.getCause(), failure);
                                        failed.accept(cause);
                                        used.completeExceptionally(cause);
                                    }
                                });
        thread.start();
        CompletableFuture.delayedExecutor(SILENCE.toMillis(), TimeUnit.MILLISECONDS)
                .execute(this::warnOfSilence);
    }

    private void warnOfSilence() {
        if (!answered && !connected.isDone() && !isClosed()) {
            log.warn("kafka-away", waiting("no broker has answered"));
        }
    }

    private void connect(Function<Runnable, ServingKafka> attempt) {
        String last = "";
        while (!isClosed()) {
            try {
                ServingKafka kafka = attempt.apply(() -> answered = true);
                if (isClosed() || !connected.complete(kafka)) {
                    kafka.close();
                } else {
                    log.info("kafka-connected", Map.of("servers", servers));
                }
                return;
            } catch (KafkaException e) {
                if (isPermanent(e)) {
                    connected.completeExceptionally(e);
                    return;
                }
                String reason = String.valueOf(e.getMessage());
                if (!isClosed() && !reason.equals(last)) {
                    log.warn("kafka-away", waiting(reason));
                    last = reason;
                }
            } catch (RuntimeException e) {
                connected.completeExceptionally(e);
                return;
            }
            pause();
        }
    }

    private String waiting(String reason) {
        return "Kafka at %s: %s; trying again until it answers. Is kafka.bootstrap-servers right?"
                .formatted(servers, reason);
    }

    /** Whether the configuration or the permissions are wrong, not the network. */
    static boolean isPermanent(@Nullable Throwable failure) {
        if (failure == null) {
            return false;
        }
        boolean wrongConfig =
                failure instanceof ConfigException
                        // names may be resolvable later
                        && !String.valueOf(failure.getMessage()).contains("resolvable bootstrap");
        return wrongConfig
                || failure instanceof AuthenticationException
                || failure instanceof AuthorizationException
                || failure instanceof UnsupportedVersionException
                || isPermanent(failure.getCause());
    }

    /**
     * Waits for the connection; returns when it is there, and after a time without one.
     *
     * @throws RuntimeException if a further attempt would not repair the failure
     */
    void await(Duration timeout) {
        try {
            used.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return; // it goes on
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void pause() {
        try {
            boolean unused = closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            closed.countDown();
        }
    }

    /** Gives up connecting. An existing connection stays. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
