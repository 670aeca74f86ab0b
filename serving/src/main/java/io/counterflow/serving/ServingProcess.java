package io.counterflow.serving;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.serving.auth.TokenFile;
import io.counterflow.serving.auth.Tokens;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.EventLoopLag;
import io.counterflow.serving.health.HealthEndpoints;
import io.counterflow.serving.health.JvmMetrics;
import io.counterflow.serving.health.KafkaLink;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The serving process. */
public final class ServingProcess implements AutoCloseable {

    private static final Duration MAX_STEP = Duration.ofMinutes(1);

    /** How long a start waits for Kafka. Afterwards the process goes on trying. */
    private static final Duration MAX_START = Duration.ofSeconds(30);

    /** How long Kafka may be silent until it is away, besides the time of a heartbeat. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

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

    private final KafkaLink link;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    private @Nullable KafkaConnection connection;
    private volatile @Nullable ServingKafka kafka;
    private volatile @Nullable ServingApi calls;
    private @Nullable HttpPort api;
    private @Nullable HttpPort management;
    private volatile boolean stopping;

    private ServingProcess(ServingConfig config, ServingLog log, Truth truth) {
        this.config = config;
        this.truth = truth;
        this.requests = new RequestMetrics(metrics, log);
        this.log = log;
        this.link =
                new KafkaLink(
                        config.heartbeatInterval().plus(config.rewards().timeout()).plus(SILENCE),
                        System::nanoTime);
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

    /**
     * Starts, and returns when the ports are open and Kafka has answered, or has not for half a
     * minute. Poll {@link #ready} before sending traffic.
     */
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
        ServingMetrics.bind(metrics, policies, ports, link, this::ready, clock);
        await(EventLoopLag.measure(vertx, config.threads(), metrics));
        management =
                await(
                        ports.openManagement(
                                front(
                                        new Routes(managementEndpoints()),
                                        new Authorization(Optional.empty(), AllowedHosts.any()),
                                        () -> true)));
        HttpFront front =
                front(
                        Routes.notReady("Kafka has not answered yet; send the request again"),
                        new Authorization(tokens, config.access().hosts()),
                        this::caughtUp);
        HttpPort opened = await(ports.openApi(front));
        api = opened;
        if (config.tls().isPresent()) {
            periodic.refresh(
                    "certificate",
                    () -> ports.refreshCertificate(opened),
                    () -> Map.of("expires", ports.certificateExpiry().orElseThrow().toString()));
        }
        connection =
                new KafkaConnection(
                        config.kafka().bootstrapServers(),
                        answered ->
                                new ServingKafka(config, policies, windows, log, clock, answered),
                        log);
        connection.start(connected -> use(connected, front, periodic, clock), this::fail);
        connection.await(MAX_START);
        log.info(
                "started",
                Map.of(
                        "port", Integer.toString(port()),
                        "managementPort", Integer.toString(managementPort())));
    }

    /** Answers calls from now on. */
    private synchronized void use(
            ServingKafka connected, HttpFront front, PeriodicWork periodic, Clock clock) {
        if (stopping) {
            connected.close();
            return;
        }
        kafka = connected;
        periodic.beat(connected.heartbeats(), config.heartbeatInterval(), link);
        ServingMetrics.bind(metrics, connected);
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
        front.use(new Routes(calls.endpoints()));
    }

    /** Kafka refuses this process, and trying again would not help. */
    private void fail(Throwable reason) {
        if (!stopping) {
            failure.complete(reason);
        }
    }

    /** Completes with the reason if the process can never answer calls. */
    public CompletableFuture<Throwable> failure() {
        return failure;
    }

    private Optional<Tokens> tokens(PeriodicWork periodic) throws IOException {
        if (config.access().tokensFile().isEmpty()) {
            return Optional.empty();
        }
        TokenFile file = read(config.access().tokensFile().get());
        periodic.refresh(
                "tokens",
                () -> vertx.executeBlocking(() -> refresh(file), false),
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

    private boolean refresh(TokenFile tokens) throws IOException {
        boolean changed = tokens.refresh();
        ServingApi current = calls;
        if (changed && current != null) {
            current.endOpenStreams();
        }
        return changed;
    }

    private static TokenFile read(Path tokens) throws IOException {
        try {
            return TokenFile.read(tokens);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "serving.tokens-file %s, %s".formatted(tokens, e.getMessage()), e);
        }
    }

    private HttpFront front(Routes routes, Authorization authorization, BooleanSupplier ready) {
        return new HttpFront(workers, ready, routes, authorization, config.limits(), requests);
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
        public KafkaLink.State kafka() {
            return link.state();
        }

        @Override
        public List<String> failures() {
            return ServingProcess.this.failures();
        }

        @Override
        public List<String> defects() {
            if (failure.isDone()) {
                return List.of("Kafka: " + failure.join().getMessage());
            }
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
        return caughtUp() && !stopping && failures().isEmpty();
    }

    private List<String> failures() {
        ServingKafka connected = kafka;
        return connected == null || stopping ? List.of() : connected.failures();
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
        if (connection != null) {
            connection.close();
        }
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
