package io.counterflow.e2e.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.serving.RunningServing;
import io.counterflow.e2e.streaming.JournalLog;
import io.counterflow.e2e.streaming.StreamResults;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Serving and the job of one configuration file, which outlives both. */
final class StoredDeployment implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** Keys that the helper sets itself. */
    private static final Pattern SET_BY_SERVING =
            Pattern.compile("kafka\\.(bootstrap-servers|event-partitions|partitions):");

    private final EmbeddedFlink flink;
    private final Path file;
    private final String settings;
    private final JobConfig config;
    private @Nullable JobClient job;

    /**
     * @param directory takes the configuration file and {@code storage.directory}
     * @param settings the lines of the configuration without broker and storage
     */
    StoredDeployment(EmbeddedFlink flink, String bootstrapServers, Path directory, String settings)
            throws IOException {
        this.flink = flink;
        this.settings =
                """
                %s
                kafka.bootstrap-servers: %s
                storage.directory: %s
                """
                        .formatted(settings, bootstrapServers, directory.resolve("storage"));
        this.file = Files.writeString(directory.resolve("counterflow.yaml"), this.settings);
        this.config = JobConfig.read(file, Map.of());
    }

    /** The configuration file. */
    Path file() {
        return file;
    }

    String prefix() {
        return config.topics().prefix();
    }

    RunningServing serve() throws IOException {
        return serve("");
    }

    /**
     * Starts serving.
     *
     * @param more further lines of the configuration
     */
    RunningServing serve(String more) throws IOException {
        return RunningServing.start(
                config.kafka().bootstrapServers(),
                settings.lines()
                                .filter(line -> !SET_BY_SERVING.matcher(line).lookingAt())
                                .collect(Collectors.joining("\n"))
                        + "\n"
                        + more);
    }

    void startJob() throws Exception {
        startJob(new Configuration());
    }

    /** Starts the job from a savepoint. */
    void startJob(Path savepoint) throws Exception {
        Configuration state = new Configuration();
        state.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint.toUri().toString());
        startJob(state);
    }

    private void startJob(Configuration state) throws Exception {
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(state);
        setup.build(env);
        job = env.executeAsync(config.name());
    }

    /** Stops the job with a canonical savepoint below a directory, and returns its path. */
    Path stopJob(Path savepoints) throws Exception {
        String path =
                running()
                        .stopWithSavepoint(
                                false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                        .get(2, TimeUnit.MINUTES);
        job = null;
        return Path.of(URI.create(path));
    }

    private JobClient running() {
        if (job == null) {
            throw new IllegalStateException("the job has not been started");
        }
        return job;
    }

    /** Replays the journal, and returns what that gives. */
    StreamResults replay(String batchPrefix) throws Exception {
        JobConfig batch =
                JobConfig.parse(settings + "batch.topic-prefix: " + batchPrefix + "\n", Map.of());
        JobSetup setup = new JobSetup(batch, RunMode.BATCH);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        setup.build(env);
        env.execute(batchPrefix);
        return results(batch.batchTopics());
    }

    /** What the live job has written. */
    StreamResults results() {
        return results(config.topics());
    }

    private StreamResults results(Topics topics) {
        StreamResults results = new StreamResults();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(topics.name(Topic.POLICY_SNAPSHOTS), results::addSnapshot);
            reader.read(topics.name(Topic.ROLLOUTS), results::addRollout);
            reader.read(topics.name(Topic.IPS_STATS), results::addWindow);
        }
        return results;
    }

    /** Sends a record that is none of ours. */
    void sendBroken(Topic topic) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        config.kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            var unused = // close flushes
                    producer.send(
                            new ProducerRecord<>(
                                    config.topics().name(topic),
                                    "broken".getBytes(StandardCharsets.UTF_8)));
        }
    }

    JournalLog journal() {
        return new JournalLog(read(Topic.JOURNAL));
    }

    /** The decisions on the topic that count, whose ids begin with their loop. */
    Set<String> decided() throws Exception {
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        Set<String> ids = new TreeSet<>();
        for (byte[] value : read(Topic.IMPRESSIONS)) {
            if (codec.accepts(value)) {
                ImpressionRecord impression = codec.decode(value);
                if (impression.getEventId().startsWith(impression.getLoop() + "-")) {
                    ids.add(impression.getEventId());
                }
            }
        }
        return ids;
    }

    /** The decisions that are not in the journal yet. */
    Set<String> unlearned() throws Exception {
        Set<String> ids = decided();
        ids.removeAll(journal().rewards().keySet());
        return ids;
    }

    List<byte[]> read(Topic topic) {
        List<byte[]> values = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.topics().name(topic),
                    record -> {
                        if (record.value() != null) {
                            values.add(record.value());
                        }
                    });
        }
        return values;
    }

    /** Something that turns empty. */
    @FunctionalInterface
    interface Remaining {
        Collection<?> now() throws Exception;
    }

    /** A condition to wait for. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits while the job runs. */
    void await(String what, Condition condition) throws Exception {
        awaitNone("failures of: " + what, () -> condition.holds() ? List.of() : List.of(what));
    }

    /** Waits while the job runs, and says what remains if it takes too long. */
    void awaitNone(String what, Remaining remaining) throws Exception {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        for (Collection<?> now = remaining.now(); !now.isEmpty(); now = remaining.now()) {
            if (running().getJobStatus().get().isGloballyTerminalState()) {
                running().getJobExecutionResult().get(); // throws the reason
            }
            if (System.nanoTime() > deadlineNs) {
                assertThat(now).as("%s after %s; %s", what, LIMIT, failures()).isEmpty();
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** Why the job has restarted, if it has. */
    private String failures() throws IOException, InterruptedException {
        URI exceptions = flink.address().resolve("/jobs/" + running().getJobID() + "/exceptions");
        String answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(exceptions).build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
        return "failures of the job: " + answer.substring(0, Math.min(answer.length(), 3_000));
    }

    @Override
    public void close() throws IOException {
        try {
            if (job != null) {
                if (!job.getJobStatus().get().isGloballyTerminalState()) {
                    job.cancel().get();
                }
                // Until its tasks have ended, they write checkpoints into the test's directory.
                job.getJobExecutionResult()
                        .handle((result, cancelled) -> true)
                        .get(2, TimeUnit.MINUTES);
                job = null;
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("the job does not stop", e);
        }
    }
}
