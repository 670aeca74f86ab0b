package io.counterflow.serving;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.serving.auth.TokenFile;
import io.counterflow.serving.auth.Tokens;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.EventLoopLag;
import io.counterflow.serving.health.HealthEndpoints;
import io.counterflow.serving.health.JvmMetrics;
import io.counterflow.serving.health.ProcessHealth;
import io.counterflow.serving.health.RequestMetrics;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.http.AllowedHosts;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.http.Routes;
import io.counterflow.serving.stats.Truth;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The serving process. */
public final class ServingProcess implements AutoCloseable {

    private static final Duration MAX_STEP = Duration.ofMinutes(1);

    private final ServingConfig config;
    private final ServingLog log;
    private final Truth truth;
    private final Vertx vertx;
    private final PolicyStore policies;
    private final WindowStore windows = new WindowStore();
    private final PrometheusMeterRegistry metrics =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RequestMetrics requests;
    private final RequestWorkers workers;
    private final JvmMetrics jvm = new JvmMetrics(metrics);

    private volatile @Nullable ServingKafka kafka;
    private @Nullable ServingApi calls;
    private @Nullable HttpPort api;
    private @Nullable HttpPort management;
    private volatile boolean stopping;

    private ServingProcess(ServingConfig config, ServingLog log, Truth truth) {
        this.config = config;
        this.truth = truth;
        this.requests = new RequestMetrics(metrics, log);
        this.log = log;
        this.policies =
                new PolicyStore(
                        config.policies(),
                        config.snapshots(),
                        message -> log.warn("record-refused", message));
        this.vertx =
                Vertx.vertx(
                        new VertxOptions()
                                .setEventLoopPoolSize(config.threads())
                                .setWorkerPoolSize(2)); // for tokens and heartbeats
        this.workers = new RequestWorkers(vertx, config.threads());
    }

    /** Starts, and returns when the ports are open. Poll {@link #ready} before sending traffic. */
    public static ServingProcess start(ServingConfig config, ServingLog log, Clock clock)
            throws IOException {
        return start(config, log, clock, Truth.unknown());
    }

    /** Starts for simulated traffic, whose true values are known. */
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
        PeriodicWork periodic = new PeriodicWork(vertx, log, () -> stopping);
        Optional<Tokens> tokens =
                tokens(periodic); // before Kafka, so that wrong files fail at once
        ServingPorts ports = new ServingPorts(vertx, config);
        ServingKafka connected = new ServingKafka(config, policies, windows, log, clock);
        kafka = connected;
        periodic.beat(connected.heartbeats(), config.heartbeatInterval());
        ServingMetrics.bind(metrics, policies, connected, ports, this::ready, clock);
        await(EventLoopLag.measure(vertx, config.threads(), metrics));
        calls =
                new ServingApi(
                        vertx,
                        workers,
                        config,
                        policies,
                        windows,
                        connected.pipelines(),
                        truth,
                        new ServingApi.Logs(
                                connected.impressions(),
                                connected.rewards(),
                                connected.control(),
                                connected.specs(vertx)),
                        metrics,
                        clock);
        management =
                await(
                        ports.openManagement(
                                front(
                                        managementEndpoints(),
                                        new Authorization(Optional.empty(), AllowedHosts.any()),
                                        () -> true)));
        Authorization authorization = new Authorization(tokens, config.access().hosts());
        HttpPort opened =
                await(ports.openApi(front(calls.endpoints(), authorization, this::caughtUp)));
        api = opened;
        if (config.tls().isPresent()) {
            periodic.refresh(
                    "certificate",
                    () -> ports.refreshCertificate(opened),
                    () -> Map.of("expires", ports.certificateExpiry().orElseThrow().toString()));
        }
        log.info(
                "started",
                Map.of(
                        "port", Integer.toString(port()),
                        "managementPort", Integer.toString(managementPort())));
    }

    private Optional<Tokens> tokens(PeriodicWork periodic) throws IOException {
        if (config.access().tokensFile().isEmpty()) {
            return Optional.empty();
        }
        TokenFile file = read(config.access().tokensFile().get());
        periodic.refresh(
                "tokens",
                () -> vertx.executeBlocking(file::refresh, false),
                () -> Map.of("tokens", Integer.toString(file.size())));
        if (config.tls().isEmpty() && !config.api().isLoopback()) {
            log.warn(
                    "tokens-without-tls",
                    "the API listens on %s without TLS, so tokens can be read on the network; set"
                                    .formatted(config.api().host())
                            + " serving.tls.certificate-file, or let only a proxy with TLS reach"
                            + " the port");
        }
        return Optional.of(file);
    }

    private static TokenFile read(Path tokens) throws IOException {
        try {
            return TokenFile.read(tokens);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "serving.tokens-file %s, %s".formatted(tokens, e.getMessage()), e);
        }
    }

    private HttpFront front(
            List<Endpoint> endpoints, Authorization authorization, BooleanSupplier ready) {
        return new HttpFront(
                workers, ready, new Routes(endpoints), authorization, config.limits(), requests);
    }

    private List<Endpoint> managementEndpoints() {
        return new HealthEndpoints(policies, new Health(), metrics).endpoints();
    }

    private final class Health implements ProcessHealth {

        @Override
        public boolean caughtUp() {
            return ServingProcess.this.caughtUp();
        }

        @Override
        public boolean stopping() {
            return stopping;
        }

        @Override
        public List<String> defects() {
            ServingKafka connected = kafka;
            return connected == null || stopping ? List.of() : connected.defects();
        }
    }

    public int port() {
        return api == null ? 0 : api.port();
    }

    /** The port of health and metrics. */
    public int managementPort() {
        return management == null ? 0 : management.port();
    }

    /** Whether all policies that existed at the start have been loaded. */
    public boolean ready() {
        return caughtUp() && !stopping;
    }

    private boolean caughtUp() {
        ServingKafka connected = kafka;
        return connected != null && connected.caughtUp();
    }

    public PolicyStore policies() {
        return policies;
    }

    /** Answers running requests, writes pending records, and stops. Idempotent. */
    @Override
    public synchronized void close() {
        if (stopping) {
            return;
        }
        stopping = true;
        if (calls != null) {
            calls.endStreams();
        }
        if (api != null) {
            quietly(api.close());
        }
        if (kafka != null) {
            kafka.close();
        }
        quietly(vertx.close());
        jvm.close();
        if (api != null) { // otherwise it never started
            log.info("stopped", Map.of());
        }
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
                    .get(MAX_STEP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new IllegalStateException(String.valueOf(cause.getMessage()), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("timed out after " + MAX_STEP, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
