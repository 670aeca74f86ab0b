package io.counterflow.serving;

import io.counterflow.serving.auth.TokenFile;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.kafka.Heartbeats;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** What the process does by itself again and again, until it stops. */
final class PeriodicWork {

    private static final Duration TOKEN_REFRESH = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final ServingLog log;
    private final BooleanSupplier stopping;
    private final AtomicBoolean kafkaThere = new AtomicBoolean(true);

    PeriodicWork(Vertx vertx, ServingLog log, BooleanSupplier stopping) {
        this.vertx = vertx;
        this.log = log;
        this.stopping = stopping;
    }

    /** Reads tokens again when their file has changed. */
    void refresh(TokenFile file) {
        every(
                TOKEN_REFRESH,
                () -> {
                    var unused =
                            vertx.executeBlocking(file::refresh, false)
                                    .onSuccess(
                                            changed -> {
                                                if (changed) {
                                                    log.info("tokens-read", Map.of());
                                                }
                                            })
                                    .onFailure(
                                            e ->
                                                    log.warn(
                                                            "tokens-unusable",
                                                            String.valueOf(e.getMessage())));
                });
    }

    /** Tells topics what time it is. */
    void beat(Heartbeats heartbeats, Duration interval) {
        every(
                interval,
                () -> {
                    var unused =
                            vertx.executeBlocking(heartbeats::send)
                                    .compose(Future::fromCompletionStage)
                                    .onSuccess(sent -> tellKafka(true, ""))
                                    .onFailure(
                                            e -> tellKafka(false, String.valueOf(e.getMessage())));
                });
    }

    /** Once when it goes and once when it comes, not at every heartbeat. */
    private void tellKafka(boolean there, String message) {
        if (kafkaThere.getAndSet(there) != there && !stopping.getAsBoolean()) {
            if (there) {
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
                    if (!stopping.getAsBoolean()) { // there is nobody left to do it
                        work.run();
                    }
                });
    }
}
