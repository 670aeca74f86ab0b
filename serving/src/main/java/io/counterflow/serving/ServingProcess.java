package io.counterflow.serving;

import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.serving.auth.TokenFile;
import io.counterflow.serving.auth.Tokens;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.LivezEndpoint;
import io.counterflow.serving.health.MetricsEndpoint;
import io.counterflow.serving.health.ReadyzEndpoint;
import io.counterflow.serving.health.RequestMetrics;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.Routes;
import io.counterflow.serving.kafka.Heartbeats;
import io.counterflow.serving.kafka.KafkaRecordLog;
import io.counterflow.serving.pipeline.PipelineWatch;
import io.counterflow.serving.policies.PolicyStore;
import io.counterflow.serving.policies.TopicFollower;
import io.counterflow.serving.stats.Truth;
import io.counterflow.serving.stats.WindowFollower;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The serving process, from its start to its end. */
public final class ServingProcess implements AutoCloseable {

    private static final Duration LONGEST_STEP = Duration.ofMinutes(1);
    private static final Duration TOKEN_REFRESH = Duration.ofSeconds(2);

    private final ServingConfig config;
    private final ServingLog log;
    private final Truth truth;
    private final Vertx vertx;
    private final PolicyStore policies;
    private final WindowStore windows = new WindowStore();
    private final PrometheusMeterRegistry metrics =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private @Nullable KafkaRecordLog impressions;
    private @Nullable KafkaRecordLog rewards;
    private @Nullable KafkaRecordLog control;
    private @Nullable TopicFollower follower;
    private @Nullable WindowFollower windowFollower;
    private @Nullable PipelineWatch pipelineWatch;
    private @Nullable ServingApi calls;
    private @Nullable HttpPort api;
    private @Nullable HttpPort management;
    private volatile boolean stopping;

    private ServingProcess(ServingConfig config, ServingLog log, Truth truth) {
        this.config = config;
        this.truth = truth;
        this.log = log;
        this.policies = new PolicyStore(message -> log.warn("record-refused", message));
        this.vertx =
                Vertx.vertx(
                        new VertxOptions()
                                .setEventLoopPoolSize(config.threads())
                                .setWorkerPoolSize(Math.max(2, config.threads())));
    }

    /** Starts, and returns when the ports are open. Ready is it when {@link #ready} says so. */
    public static ServingProcess start(ServingConfig config, ServingLog log, Clock clock)
            throws IOException {
        return start(config, log, clock, Truth.unknown());
    }

    /** The same for simulated traffic, whose truth is known. */
    public static ServingProcess start(
            ServingConfig config, ServingLog log, Clock clock, Truth truth) throws IOException {
        ServingProcess process = new ServingProcess(config, log, truth);
        try {
            process.open(clock);
            return process;
        } catch (RuntimeException | IOException e) {
            process.close();
            throw e;
        }
    }

    private void open(Clock clock) throws IOException {
        Optional<Tokens> tokens = tokens();
        try (TopicAdmin admin =
                TopicAdmin.connect(config.kafka(), config.topics(), config.topicSettings())) {
            admin.ensure(List.of(Topic.values()), config.createTopics());
        }
        impressions =
                KafkaRecordLog.connect(
                        config.kafka(),
                        config.topics(),
                        config.impressions(),
                        List.of(Topic.IMPRESSIONS));
        rewards =
                KafkaRecordLog.connect(
                        config.kafka(), config.topics(), config.rewards(), List.of(Topic.REWARDS));
        control =
                KafkaRecordLog.connect(
                        config.kafka(),
                        config.topics(),
                        config.rewards(),
                        List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS));
        follower =
                TopicFollower.start(
                        config.kafka(),
                        config.topics(),
                        policies,
                        message -> log.warn("following-failed", message));
        windowFollower =
                WindowFollower.start(
                        config.kafka(),
                        config.topics(),
                        windows,
                        clock,
                        message -> log.warn("following-failed", message));
        pipelineWatch =
                PipelineWatch.start(
                        config.kafka(),
                        config.topics(),
                        config.jobName(),
                        policies,
                        clock,
                        message -> log.warn("following-failed", message));
        beat(new Heartbeats(List.of(impressions, rewards, control), config.name(), clock));
        ServingMetrics.bind(metrics, policies, impressions, rewards);
        RequestMetrics watch = new RequestMetrics(metrics, log);
        calls =
                new ServingApi(
                        vertx,
                        config,
                        policies,
                        windows,
                        pipelineWatch.pipelines(),
                        truth,
                        new ServingApi.Logs(impressions, rewards, control),
                        metrics,
                        clock);
        HttpFront front =
                new HttpFront(
                        new Routes(calls.endpoints()),
                        new Authorization(tokens),
                        config.limits(),
                        watch);
        HttpFront managementFront =
                new HttpFront(
                        new Routes(managementEndpoints()),
                        new Authorization(Optional.empty()),
                        config.limits(),
                        watch);
        management =
                await(
                        HttpPort.open(
                                vertx,
                                plain(config.management()),
                                1,
                                Duration.ZERO,
                                managementFront));
        api =
                await(
                        HttpPort.open(
                                vertx,
                                apiOptions(),
                                config.threads(),
                                config.stopTimeout(),
                                front));
        log.info(
                "started",
                Map.of(
                        "port", Integer.toString(port()),
                        "managementPort", Integer.toString(managementPort())));
    }

    private Optional<Tokens> tokens() throws IOException {
        if (config.access().tokensFile().isEmpty()) {
            return Optional.empty();
        }
        TokenFile file = TokenFile.read(config.access().tokensFile().get());
        periodic(TOKEN_REFRESH, () -> refresh(file));
        return Optional.of(file);
    }

    private void refresh(TokenFile file) {
        var unused =
                vertx.executeBlocking(file::refresh, false)
                        .onSuccess(
                                changed -> {
                                    if (changed) {
                                        log.info("tokens-read", Map.of());
                                    }
                                })
                        .onFailure(
                                e -> log.warn("tokens-unusable", String.valueOf(e.getMessage())));
    }

    private void beat(Heartbeats heartbeats) {
        periodic(
                config.heartbeatInterval(),
                () -> {
                    var unused =
                            vertx.executeBlocking(
                                    () -> {
                                        heartbeats.send();
                                        return true;
                                    });
                });
    }

    private void periodic(Duration interval, Runnable work) {
        vertx.setPeriodic(
                0,
                interval.toMillis(),
                ignored -> {
                    if (!stopping) { // there is nobody left to do it
                        work.run();
                    }
                });
    }

    private List<Endpoint> managementEndpoints() {
        return List.of(
                new LivezEndpoint(),
                new ReadyzEndpoint(policies, this::caughtUp, () -> stopping),
                new MetricsEndpoint(metrics));
    }

    private HttpServerOptions apiOptions() {
        HttpServerOptions options = plain(config.api());
        config.tls()
                .ifPresent(
                        tls ->
                                options.setSsl(true)
                                        .setKeyCertOptions(
                                                new PemKeyCertOptions()
                                                        .setCertPath(tls.certificate().toString())
                                                        .setKeyPath(tls.key().toString())));
        return options;
    }

    private HttpServerOptions plain(ServingConfig.Address address) {
        return new HttpServerOptions()
                .setHost(address.host())
                .setPort(address.port())
                .setIdleTimeout((int) Math.max(1, config.idleTimeout().toSeconds()))
                .setTcpNoDelay(true);
    }

    /** Where the API listens. */
    public int port() {
        return api == null ? 0 : api.port();
    }

    /** Where health and metrics do. */
    public int managementPort() {
        return management == null ? 0 : management.port();
    }

    /** Whether all policies that were there at the start are known. */
    public boolean ready() {
        return caughtUp() && !stopping;
    }

    private boolean caughtUp() {
        return follower != null && follower.caughtUp();
    }

    /** The loops that are served. */
    public PolicyStore policies() {
        return policies;
    }

    /** Answers what has begun, writes what waits, and ends. */
    @Override
    public void close() {
        stopping = true;
        if (calls != null) {
            calls.endStreams();
        }
        if (api != null) {
            quietly(api.close());
        }
        if (follower != null) {
            follower.close();
        }
        if (windowFollower != null) {
            windowFollower.close();
        }
        if (pipelineWatch != null) {
            pipelineWatch.close();
        }
        for (KafkaRecordLog written : new KafkaRecordLog[] {impressions, rewards, control}) {
            if (written != null) {
                written.close();
            }
        }
        quietly(vertx.close());
        log.info("stopped", Map.of());
    }

    private void quietly(Future<?> step) {
        try {
            await(step);
        } catch (IllegalStateException e) {
            log.warn("stop-failed", String.valueOf(e.getMessage()));
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage()
                    .toCompletableFuture()
                    .get(LONGEST_STEP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("it took longer than " + LONGEST_STEP, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
