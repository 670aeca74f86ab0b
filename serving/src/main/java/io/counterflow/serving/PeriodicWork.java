package io.counterflow.serving;

import io.counterflow.serving.auth.TokenFile;
import io.counterflow.serving.health.ServingLog;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** The periodic work of the process. */
final class PeriodicWork {

    private static final Duration TOKEN_REFRESH = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final ServingLog log;
    private final BooleanSupplier stopping;
    private final AtomicBoolean kafkaAnswers = new AtomicBoolean(true);

    PeriodicWork(Vertx vertx, ServingLog log, BooleanSupplier stopping) {
        this.vertx = vertx;
        this.log = log;
        this.stopping = stopping;
    }

    /** Reads the file of tokens again when it has changed. */
    void refresh(TokenFile file) {
        every(
                TOKEN_REFRESH,
                () -> {
                    var unused =
                            vertx.executeBlocking(file::refresh, false)
                                    .onSuccess(
                                            changed -> {
                                                if (changed) {
                                                    log.info(
                                                            "tokens-read",
                                                            Map.of(
                                                                    "tokens",
                                                                    Integer.toString(file.size())));
                                                }
                                            })
                                    .onFailure(
                                            e ->
                                                    log.warn(
                                                            "tokens-unusable",
                                                            String.valueOf(e.getMessage())));
                });
    }

    void beat(Heartbeats heartbeats, Duration interval) {
        every(
                interval,
                () -> {
                    var unused =
                            vertx.executeBlocking(heartbeats::send)
                                    .compose(Future::fromCompletionStage)
                                    .onSuccess(sent -> logKafka(true, ""))
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
