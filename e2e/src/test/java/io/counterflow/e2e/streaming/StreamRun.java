package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** One deployment of the job on topics of its own. */
final class StreamRun implements AutoCloseable {

    private static final int EVENT_PARTITIONS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final EmbeddedFlink flink;
    private final Path directory;
    private final SharedKafka kafka;
    private final String name;
    private final String extra;
    private final JobConfig config;
    private final KafkaProducer<byte[], byte[]> producer;
    private @Nullable JobClient job;

    /**
     * @param name name of the job, and end of the prefix of its topics
     * @param extra more lines of configuration
     */
    StreamRun(
            EmbeddedFlink flink,
            SharedKafka kafka,
            Path directory,
            String name,
            int parallelism,
            String extra) {
        this.flink = flink;
        this.directory = directory;
        this.kafka = kafka;
        this.name = kafka.prefix() + "." + name;
        this.extra = extra;
        this.config = config(parallelism);
        new JobSetup(config, RunMode.LIVE).ensureTopics();
        this.producer =
                new KafkaProducer<>(
                        config.kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    private JobConfig config(int parallelism) {
        return JobConfig.parse(
                """
                job.name: %s
                kafka.bootstrap-servers: %s
                kafka.topic-prefix: %s
                batch.topic-prefix: %s.again
                kafka.event-partitions: %d
                kafka.partitions: 2
                storage.directory: %s
                checkpoint.interval: 300ms
                job.parallelism: %d
                windows.size: 20s
                windows.slide: 10s
                restart.initial-backoff: 100ms
                %s
                """
                        .formatted(
                                name,
                                kafka.bootstrapServers(),
                                name,
                                name,
                                EVENT_PARTITIONS,
                                directory.resolve(name),
                                parallelism,
                                extra),
                Map.of());
    }

    JobConfig config() {
        return config;
    }

    void send(List<RecordedTraffic.Sent> records) {
        for (RecordedTraffic.Sent sent : records) {
            send(sent.topic(), sent.key(), sent.value());
        }
        producer.flush();
    }

    void send(Topic topic, String key, byte[] value) {
        var unused = // missing records fail the test later
                producer.send(
                        new ProducerRecord<>(
                                config.topics().name(topic),
                                key.getBytes(StandardCharsets.UTF_8),
                                value));
    }

    /** Advances event time on all partitions. */
    void heartbeat(Instant time) {
        byte[] value =
                WireCodec.of(HeartbeatRecord.class).encode(new HeartbeatRecord("test", time));
        for (int partition = 0; partition < EVENT_PARTITIONS; partition++) {
            for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        config.topics().name(topic), partition, null, value));
            }
        }
        producer.flush();
    }

    void start() throws Exception {
        start(new Configuration());
    }

    /** Starts the job from a stored state. */
    void start(String state) throws Exception {
        Configuration settings = new Configuration();
        settings.set(StateRecoveryOptions.SAVEPOINT_PATH, state);
        start(settings);
    }

    private void start(Configuration settings) throws Exception {
        StreamExecutionEnvironment env = flink.environment(settings);
        new JobSetup(config, RunMode.LIVE).build(env);
        start(env);
    }

    /** Starts a job that the caller has built. */
    void start(StreamExecutionEnvironment env) throws Exception {
        job = env.executeAsync(name);
    }

    StreamExecutionEnvironment environment() {
        return flink.environment(new Configuration());
    }

    /** Stops, and continues from the savepoint at another parallelism. */
    void rescale(int parallelism) throws Exception {
        Configuration settings = new Configuration();
        settings.set(StateRecoveryOptions.SAVEPOINT_PATH, stop(SavepointFormatType.NATIVE));
        StreamExecutionEnvironment env = flink.environment(settings);
        new JobSetup(config(parallelism), RunMode.LIVE).build(env);
        start(env);
    }

    /** Stops with a savepoint, and returns its path. */
    String stop(SavepointFormatType format) throws Exception {
        return stop(format, false);
    }

    /** Stops with a savepoint after the end of the input, and returns its path. */
    String drain() throws Exception {
        return stop(SavepointFormatType.CANONICAL, true);
    }

    private String stop(SavepointFormatType format, boolean drain) throws Exception {
        return running()
                .stopWithSavepoint(
                        drain, directory.resolve(name + "-savepoints").toUri().toString(), format)
                .get(2, TimeUnit.MINUTES);
    }

    /** Replays the journal at a parallelism, and waits for the end. */
    StreamResults replay(int parallelism) throws Exception {
        JobSetup setup = new JobSetup(config(parallelism), RunMode.BATCH);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        setup.build(env);
        env.execute(name + "-again");
        return results(config.batchTopics());
    }

    private JobClient running() {
        if (job == null) {
            throw new IllegalStateException("the job has not been started");
        }
        return job;
    }

    /** Waits until the journal has a number of examples. */
    void awaitExamples(long count) throws Exception {
        awaitThat(count + " examples", () -> journal().examples() >= count);
    }

    /** Waits until every decision has become an example, and stops the job. */
    StreamResults finish() throws Exception {
        awaitExamples(RecordedTraffic.DECISIONS);
        close();
        return results();
    }

    JournalLog journal() {
        return new JournalLog(read(Topic.JOURNAL));
    }

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

    List<byte[]> read(Topic topic) {
        List<byte[]> values = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(config.topics().name(topic), record -> values.add(record.value()));
        }
        return values;
    }

    /** What the job has counted of all loops together. */
    Counted counted() throws UndecodableRecordException {
        WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
        long examples = 0;
        long late = 0;
        long deadLetters = 0;
        for (byte[] value : read(Topic.LOOP_COUNTS)) {
            LoopCountsRecord counts = codec.decode(value);
            examples += counts.getExamples();
            for (UnusedCountRecord unused : counts.getUnused()) {
                switch (unused.getKind()) {
                    case LATE -> late += unused.getCount();
                    case DEAD_LETTER -> deadLetters += unused.getCount();
                    case RETRACTED, UNKNOWN ->
                            throw new IllegalStateException("the traffic has none");
                }
            }
        }
        return new Counted(examples, late, deadLetters);
    }

    /** Numbers of records. */
    record Counted(long examples, long late, long deadLetters) {}

    /** The number of records on a topic, and of the markers that end transactions. */
    long endOffsets(Topic topic) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        config.kafka().properties(),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(config.topics().name(topic)).stream()
                            .map(it -> new TopicPartition(it.topic(), it.partition()))
                            .toList();
            return consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    /** A condition to wait for. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    void awaitThat(String what, Condition condition) throws Exception {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            if (job != null && running().getJobStatus().get().isGloballyTerminalState()) {
                running().getJobExecutionResult().get(); // throws the reason
            }
            assertThat(System.nanoTime()).as("%s within %s", what, LIMIT).isLessThan(deadlineNs);
            TimeUnit.MILLISECONDS.sleep(300);
        }
    }

    JobClient job() {
        return running();
    }

    /** Ends the job without a savepoint. */
    void cancel() throws IOException {
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

    @Override
    public void close() throws IOException {
        try {
            cancel();
        } finally {
            producer.close();
        }
    }
}
