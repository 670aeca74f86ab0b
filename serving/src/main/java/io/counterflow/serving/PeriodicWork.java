package io.counterflow.serving;

import io.counterflow.serving.health.KafkaLink;
import io.counterflow.serving.health.ServingLog;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The periodic work of the process. */
final class PeriodicWork {

    private static final Duration REFRESH = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final ServingLog log;
    private final BooleanSupplier stopping;
    private final AtomicBoolean kafkaAnswers = new AtomicBoolean(true);

    PeriodicWork(Vertx vertx, ServingLog log, BooleanSupplier stopping) {
        this.vertx = vertx;
        this.log = log;
        this.stopping = stopping;
    }

    /**
     * Reads a file again and again.
     *
     * @param name what it contains, for the log
     * @param refresh whether it has changed
     * @param describe the fields of a change in the log
     */
    void refresh(
            String name,
            Supplier<Future<Boolean>> refresh,
            Supplier<Map<String, String>> describe) {
        AtomicReference<String> defect = new AtomicReference<>("");
        every(
                REFRESH,
                () -> {
                    var unused =
                            refresh.get()
                                    .onSuccess(
                                            changed -> {
                                                defect.set("");
                                                if (changed) {
                                                    log.info(name + "-read", describe.get());
                                                }
                                            })
                                    .onFailure(
                                            e -> {
                                                String reason = String.valueOf(e.getMessage());
                                                if (!defect.getAndSet(reason).equals(reason)) {
                                                    log.warn(name + "-unusable", reason);
                                                }
                                            });
                });
    }

    void beat(Heartbeats heartbeats, Duration interval, KafkaLink link) {
        every(
                interval,
                () -> {
                    var unused =
                            vertx.executeBlocking(heartbeats::send)
                                    .compose(Future::fromCompletionStage)
                                    .onSuccess(
                                            sent -> {
                                                link.answered();
                                                logKafka(true, "");
                                            })
                                    .onFailure(
                                            e -> logKafka(false, String.valueOf(e.getMessage())));
                });
    }

    /** Logs when Kafka stops or starts to answer, not at every heartbeat. */
    private void logKafka(boolean answers, String message) {
        if (kafkaAnswers.getAndSet(answers) != answers && !stopping.getAsBoolean()) {
            if (answers) {
                log.info("kafka-back", Map.of());
            } else {
                log.warn("kafka-away", message);
            }
        }
    }

    private void every(Duration interval, Runnable work) {
        vertx.setPeriodic(
                0,
                interval.toMillis(),
                ignored -> {
                    if (!stopping.getAsBoolean()) { // the executors may be gone
                        work.run();
                    }
                });
    }
}
