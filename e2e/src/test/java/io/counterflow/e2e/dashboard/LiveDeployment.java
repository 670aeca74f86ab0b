package io.counterflow.e2e.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.stats.TrueValues;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** A running deployment: broker, job, serving and simulated users. */
final class LiveDeployment implements AutoCloseable {

    /** The expected reward of the liked action, and of any other action. */
    private static final double MATCH = 0.8;

    private static final double MISS = 0.1;
    private static final List<String> ACTIONS = List.of("sport", "news", "music", "films");
    private static final Duration PAUSE = Duration.ofMillis(8);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final EmbeddedKafka kafka;
    private final EmbeddedFlink flink;
    private final JobClient job;
    private final ServingProcess serving;
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile boolean closed;
    private boolean servingStopped;
    private @Nullable Thread users; // null before they are started

    private LiveDeployment(
            EmbeddedKafka kafka, EmbeddedFlink flink, JobClient job, ServingProcess serving) {
        this.kafka = kafka;
        this.flink = flink;
        this.job = job;
        this.serving = serving;
    }

    static LiveDeployment start(Path directory) throws Exception {
        return start(directory, new Configuration());
    }

    /**
     * Starts the deployment.
     *
     * @param cluster further settings of Flink's cluster
     */
    static LiveDeployment start(Path directory, Configuration cluster) throws Exception {
        EmbeddedKafka kafka =
                EmbeddedKafka.start(directory.resolve("kafka"), EmbeddedKafka.FREE_PORT);
        EmbeddedFlink flink = EmbeddedFlink.start(1, cluster);
        String shared =
                """
                kafka.bootstrap-servers: %s
                kafka.event-partitions: 2
                kafka.partitions: 1
                """
                        .formatted(kafka.bootstrapServers());
        JobConfig config =
                JobConfig.parse(
                        shared
                                + """
                                storage.directory: %s
                                checkpoint.interval: 500ms
                                job.parallelism: 1
                                watermarks.max-out-of-orderness: 500ms
                                windows.size: 4s
                                windows.slide: 1s
                                """
                                        .formatted(directory.resolve("storage")),
                        Map.of());
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        setup.build(env);
        JobClient job = env.executeAsync();
        ServingProcess serving =
                ServingProcess.start(
                        ServingConfig.parse(
                                shared
                                        + """
                                        serving.port: 0
                                        serving.management.port: 0
                                        serving.heartbeat-interval: 200ms
                                        """,
                                Map.of()),
                        new ServingLog(
                                new PrintStream(
                                        OutputStream.nullOutputStream(),
                                        true,
                                        StandardCharsets.UTF_8),
                                Clock.systemUTC()),
                        Clock.systemUTC(),
                        loop -> Optional.of(truth()));
        while (!serving.ready()) { // the timeout of the test ends it
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return new LiveDeployment(kafka, flink, job, serving);
    }

    private static TrueValues truth() {
        double uniform = (MATCH + (ACTIONS.size() - 1) * MISS) / ACTIONS.size();
        return new TrueValues(MATCH, uniform, Map.of(0L, uniform));
    }

    String address() {
        return "http://127.0.0.1:" + serving.port() + "/";
    }

    /** The metrics of the serving process. */
    String metrics() throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:%d/metrics"
                                                        .formatted(serving.managementPort())))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Creates a loop for the simulated users. */
    void make(String loop, String more) throws Exception {
        HttpResponse<String> made =
                send(
                        "PUT",
                        "v1/loops/" + loop,
                        """
                        {"actions":%s,"features":4,"attributionWindow":"1s","learningRate":1.0,
                         "batchSize":20,"bufferSteps":2,"explorationFloor":0.1,%s}
                        """
                                .formatted(JSON.writeValueAsString(ACTIONS), more));
        if (made.statusCode() != 201) {
            throw new IllegalStateException(made.body());
        }
    }

    /** Starts users who visit these loops until the deployment is closed. Each likes one action. */
    void letUsersCome(List<String> loops) {
        users =
                new Thread(
                        () -> {
                            SplittableRandom random = new SplittableRandom(7);
                            for (int i = 0; !closed; i++) {
                                visit(loops.get(i % loops.size()), i, random);
                            }
                        },
                        "users");
        users.setDaemon(true);
        users.start();
    }

    private void visit(String loop, int number, SplittableRandom random) {
        try {
            double[] context = new double[ACTIONS.size()];
            int liked = random.nextInt(context.length);
            context[liked] = 1.0;
            String id = "e-" + number;
            HttpResponse<String> ranked =
                    send(
                            "POST",
                            "v1/loops/" + loop + "/rank",
                            "{\"eventId\":\"%s\",\"context\":{\"dense\":%s}}"
                                    .formatted(id, JSON.writeValueAsString(context)));
            if (ranked.statusCode() == 200) {
                JsonNode answer = JSON.readTree(ranked.body());
                boolean match = answer.get("action").asInt() == liked;
                if (random.nextDouble() < (match ? MATCH : MISS)) {
                    send(
                            "POST",
                            "v1/loops/%s/events/%s/reward".formatted(loop, id),
                            "{\"value\":1}");
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (IOException e) {
            closed |= !serving.ready(); // serving has stopped
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** The body of the response. */
    JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = send("GET", path, "");
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /** Waits until the windows of a loop cover a duration. */
    void awaitTrafficOf(String loop, Duration age, Duration longest)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + longest.toNanos();
        Duration seen = Duration.ZERO;
        while (seen.compareTo(age) < 0) {
            if (System.nanoTime() > end) {
                throw new AssertionError("windows cover %s, not %s".formatted(seen, age));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_EVERY.toMillis());
            JsonNode windows = get("v1/loops/" + loop + "/stats").get("windows");
            if (!windows.isEmpty()) {
                Instant first = Instant.parse(windows.get(0).get("start").asText());
                Instant last = Instant.parse(windows.get(windows.size() - 1).get("end").asText());
                seen = Duration.between(first, last);
            }
        }
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(address() + path))
                        .timeout(Duration.ofSeconds(30))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    void stopJob() throws Exception {
        job.cancel().get();
    }

    void stopBroker() {
        kafka.close();
    }

    void stopServing() {
        if (!servingStopped) {
            servingStopped = true;
            serving.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (users != null) {
            try {
                users.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        stopServing();
        flink.close();
        kafka.close();
    }
}
