package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Tokens;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.health.HealthEndpoints;
import io.counterflow.serving.health.KafkaLink;
import io.counterflow.serving.health.ProcessHealth;
import io.counterflow.serving.health.RequestMetrics;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.http.AllowedHosts;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.Connections;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.http.Routes;
import io.counterflow.serving.pipeline.JobCounts;
import io.counterflow.serving.pipeline.LoopFlows;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.stats.TrueValues;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * The HTTP API and the management port on free ports in this process, with the loop {@link
 * PolicyStoreFixture#LOOP}. Topics are in memory; there is no broker.
 */
public final class ServingFixture implements AutoCloseable {

    /** The server's clock stands still. */
    public static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

    public static final String SPEC =
            "{\"actions\":[\"a\",\"b\",\"c\"],\"features\":2,\"explorationFloor\":0.1}";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(2));
    private final PolicyStoreFixture policies;
    private final InMemoryTopics topics;
    private final WindowStore windows = new WindowStore();
    private final JobCounts counts = new JobCounts();
    private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    private final ServingApi api;
    private final HttpPort port;
    private final HttpPort management;

    private volatile JobState job =
            new JobState(
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    Duration.ZERO,
                    Duration.ofMinutes(5));
    private volatile boolean caughtUp = true;
    private volatile boolean stopping;
    private volatile KafkaLink.State kafka = KafkaLink.State.CONNECTED;
    private volatile List<String> failures = List.of();
    private volatile List<String> defects = List.of();

    private ServingFixture(String yaml, Optional<Tokens> tokens) {
        ServingConfig config = ServingConfig.parse(yaml, Map.of());
        policies = new PolicyStoreFixture(PolicyStoreFixture.LOOP, config.policies());
        topics =
                new InMemoryTopics(
                        (key, value) -> {
                            policies.store().takeSpec(key, value);
                            policies.store().swap();
                        });
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        RequestMetrics requests =
                new RequestMetrics(
                        metrics,
                        new ServingLog(
                                new PrintStream(logged, true, StandardCharsets.UTF_8), CLOCK));
        RequestWorkers workers = new RequestWorkers(vertx, 1);
        policies.spec(PolicyStoreFixture.spec(1, SPEC)).served();
        api =
                new ServingApi(
                        vertx,
                        workers,
                        config,
                        policies.store(),
                        windows,
                        new LoopPipelines(new LoopFlows(CLOCK), counts, () -> job, CLOCK),
                        loop ->
                                loop.equals("simulated")
                                        ? Optional.of(new TrueValues(0.9, 0.3, Map.of(2L, 0.5)))
                                        : Optional.empty(),
                        new ServingApi.Logs(topics, topics, topics, topics::append),
                        metrics,
                        CLOCK);
        ServedLoopMetrics.bind(metrics, policies.store(), CLOCK);
        port =
                open(
                        api.endpoints(),
                        new Authorization(
                                tokens,
                                tokens.isEmpty() ? config.access().hosts() : AllowedHosts.any()),
                        () -> caughtUp,
                        config,
                        workers,
                        requests);
        management =
                open(
                        new HealthEndpoints(policies.store(), new Health(), metrics).endpoints(),
                        new Authorization(Optional.empty(), AllowedHosts.any()),
                        () -> true,
                        config,
                        workers,
                        requests);
    }

    private final class Health implements ProcessHealth {

        @Override
        public boolean caughtUp() {
            return caughtUp;
        }

        @Override
        public boolean stopping() {
            return stopping;
        }

        @Override
        public KafkaLink.State kafka() {
            return kafka;
        }

        @Override
        public List<String> failures() {
            return failures;
        }

        @Override
        public List<String> defects() {
            return defects;
        }
    }

    private HttpPort open(
            List<Endpoint> endpoints,
            Authorization authorization,
            BooleanSupplier ready,
            ServingConfig config,
            RequestWorkers workers,
            RequestMetrics requests) {
        HttpFront front =
                new HttpFront(
                        workers,
                        ready,
                        new Routes(endpoints),
                        authorization,
                        config.limits(),
                        requests);
        return await(
                HttpPort.open(
                        vertx,
                        new HttpServerOptions()
                                .setHost("127.0.0.1")
                                .setPort(0)
                                .setHttp2ClearTextEnabled(false),
                        new Connections(config.limits()),
                        1,
                        Duration.ZERO,
                        front));
    }

    /** A server without tokens. */
    public static ServingFixture start() {
        return start("");
    }

    /**
     * A server without tokens.
     *
     * @param yaml further settings
     */
    public static ServingFixture start(String yaml) {
        return new ServingFixture(yaml, Optional.empty());
    }

    /** A server that knows these tokens only. */
    public static ServingFixture start(Map<String, Caller> tokens) {
        return start("serving.personalizer-loop: home", tokens);
    }

    /** The same with further settings. */
    public static ServingFixture start(String yaml, Map<String, Caller> tokens) {
        return new ServingFixture(
                yaml, Optional.of(token -> Optional.ofNullable(tokens.get(token))));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    public PolicyStoreFixture policies() {
        return policies;
    }

    public InMemoryTopics topics() {
        return topics;
    }

    public WindowStore windows() {
        return windows;
    }

    public JobCounts counts() {
        return counts;
    }

    /** What the server has logged. */
    public String log() {
        return logged.toString(StandardCharsets.UTF_8);
    }

    public void setJob(JobState job) {
        this.job = job;
    }

    public void setCaughtUp(boolean caughtUp) {
        this.caughtUp = caughtUp;
    }

    public void setKafka(KafkaLink.State kafka) {
        this.kafka = kafka;
    }

    public void setFailures(List<String> failures) {
        this.failures = List.copyOf(failures);
    }

    public void setDefects(List<String> defects) {
        this.defects = List.copyOf(defects);
    }

    /** Ends the open streams, as the server does when the tokens have changed. */
    public void changeTokens() {
        api.endOpenStreams();
    }

    /** Ends the streams, as the server does when it stops. */
    public void stop() {
        stopping = true;
        api.endStreams();
    }

    public int port() {
        return port.port();
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .timeout(Duration.ofSeconds(30))
                .header("content-type", "application/json");
    }

    /** Sends a request. The answer must be as the OpenAPI document describes it. */
    public HttpResponse<String> send(HttpRequest request) {
        HttpResponse<String> response = send(request, HttpResponse.BodyHandlers.ofString());
        boolean isJson =
                response.headers()
                        .firstValue("content-type")
                        .filter(it -> it.endsWith("json"))
                        .isPresent();
        if (isJson && request.uri().getPort() == port()) {
            DescribedAnswers.check(
                    request.method().toLowerCase(Locale.ROOT),
                    request.uri().getRawPath(),
                    response.statusCode(),
                    json(response.statusCode(), response));
        }
        return response;
    }

    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body) {
        try {
            return CLIENT.send(request, body);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public HttpResponse<String> get(String path) {
        return send(request(path).GET().build());
    }

    public HttpResponse<String> post(String path, String body) {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    public HttpResponse<String> delete(String path) {
        return send(request(path).DELETE().build());
    }

    public HttpResponse<String> put(String path, String body) {
        return send(request(path).PUT(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    /** Calls the management port. */
    public HttpResponse<String> manage(String path) {
        return send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + management.port() + path))
                        .GET()
                        .build());
    }

    /** Sends a GET request with these headers only, and returns the status. */
    public int rawStatus(String path, String headers) {
        String request = "GET %s HTTP/1.1\r\n%s\r\n\r\n".formatted(path, headers);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return Integer.parseInt(new String(start, StandardCharsets.US_ASCII).substring(9));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The JSON of an expected status. */
    public static JsonNode json(int status, HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        try {
            return MAPPER.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(response.body(), e);
        }
    }

    /** Checks that a response is a problem document, and returns it. */
    public static JsonNode problem(
            int status, String name, String detail, HttpResponse<String> response) {
        JsonNode problem = json(status, response);
        assertThat(response.headers().firstValue("content-type"))
                .hasValue("application/problem+json");
        assertThat(problem.get("type").asText()).isEqualTo("urn:counterflow:problem:" + name);
        assertThat(problem.get("title").asText()).isEqualTo(name.replace('-', ' '));
        assertThat(problem.get("status").asInt()).isEqualTo(status);
        assertThat(problem.get("detail").asText()).contains(detail);
        assertThat(problem.get("instance").asText())
                .isEqualTo(
                        "urn:counterflow:request:"
                                + response.headers().firstValue("x-request-id").orElseThrow());
        return problem;
    }

    /** Checks that a response is an error as Personalizer answered it, and returns the error. */
    public static JsonNode personalizerError(
            int status, String name, String message, HttpResponse<String> response) {
        JsonNode error = json(status, response).get("error");
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(error.get("code").asText()).isNotEmpty();
        assertThat(error.at("/innerError/code").asText()).isEqualTo(name);
        assertThat(error.get("message").asText()).contains(message);
        return error;
    }

    @Override
    public void close() {
        await(vertx.close());
    }
}
