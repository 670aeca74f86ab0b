package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecordBase;

/** A serving process on free ports, and how tests talk to it. */
public final class RunningServing implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private final ServingConfig config;
    private final ServingProcess process;
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private RunningServing(String settings) throws IOException {
        config =
                ServingConfig.parse(
                        """
                        kafka.event-partitions: 2
                        kafka.partitions: 1
                        serving.port: 0
                        serving.management.port: 0
                        serving.heartbeat-interval: 200ms
                        %s
                        """
                                .formatted(settings),
                        Map.of());
        process =
                ServingProcess.start(
                        config,
                        new ServingLog(
                                new PrintStream(log, true, StandardCharsets.UTF_8),
                                Clock.systemUTC()),
                        Clock.systemUTC());
    }

    /**
     * Starts on the shared broker, and waits until it is ready.
     *
     * @param more further lines of the configuration
     */
    public static RunningServing start(SharedKafka kafka, String more) throws IOException {
        return awaitReady(open(kafka, more));
    }

    /** Starts on the shared broker, and returns as soon as its ports are open. */
    static RunningServing open(SharedKafka kafka, String more) throws IOException {
        return new RunningServing(kafka.settings() + more);
    }

    /**
     * Starts on another broker, and waits until it is ready.
     *
     * @param more further lines of the configuration
     */
    public static RunningServing start(String bootstrapServers, String more) throws IOException {
        return awaitReady(
                new RunningServing(
                        "kafka.bootstrap-servers: %s%n%s".formatted(bootstrapServers, more)));
    }

    private static RunningServing awaitReady(RunningServing serving) {
        await("ready", serving.process::ready);
        return serving;
    }

    public static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + MAX_WAIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for: " + what).isLessThan(end);
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    public ServingProcess process() {
        return process;
    }

    ServingConfig config() {
        return config;
    }

    public String log() {
        return log.toString(StandardCharsets.UTF_8);
    }

    HttpClient client() {
        return client;
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + process.port() + path);
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(30))
                .header("content-type", "application/json");
    }

    public HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> post(String path, String body)
            throws IOException, InterruptedException {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    public HttpResponse<String> put(String path, String body)
            throws IOException, InterruptedException {
        return send(request(path).PUT(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET().build());
    }

    public HttpResponse<String> manage(String path) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + process.managementPort() + path))
                        .GET()
                        .build());
    }

    public String metrics() {
        try {
            return manage("/metrics").body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public static JsonNode json(HttpResponse<String> response) throws IOException {
        return JSON.readTree(response.body());
    }

    /** All records of one kind on a topic. */
    public <T extends SpecificRecordBase> List<T> records(Topic topic, Class<T> type) {
        WireCodec<T> codec = WireCodec.of(type);
        List<T> records = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.topics().name(topic),
                    record -> {
                        if (record.value() != null && codec.accepts(record.value())) {
                            try {
                                records.add(codec.decode(record.value()));
                            } catch (io.counterflow.schemas.wire.UndecodableRecordException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                    });
        }
        return records;
    }

    List<ImpressionRecord> impressions() {
        return records(Topic.IMPRESSIONS, ImpressionRecord.class);
    }

    List<RetractionRecord> retractions() {
        return records(Topic.IMPRESSIONS, RetractionRecord.class);
    }

    List<RewardRecord> rewards() {
        return records(Topic.REWARDS, RewardRecord.class);
    }

    @Override
    public void close() {
        process.close();
    }
}
