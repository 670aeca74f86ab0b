package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job on a real broker and a real cluster, all in this process. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class StreamingJobIT {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 2;

    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());

    @TempDir private Path directory;

    private EmbeddedFlink flink;
    private KafkaProducer<byte[], byte[]> producer;
    private JobConfig config;

    @BeforeEach
    void start(SharedKafka kafka, EmbeddedFlink sharedFlink) {
        flink = sharedFlink;
        config =
                JobConfig.parse(
                        """
                        %s
                        kafka.event-partitions: %d
                        kafka.partitions: 2
                        storage.directory: %s
                        checkpoint.interval: 1s
                        job.parallelism: 2
                        restart.initial-backoff: 100ms
                        """
                                .formatted(
                                        kafka.settings(), PARTITIONS, directory.resolve("storage")),
                        Map.of());
        assertThat(new JobSetup(config, RunMode.LIVE).ensureTopics())
                .hasSize(Topic.values().length);
        Properties properties = config.kafka().properties();
        producer =
                new KafkaProducer<>(
                        properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @AfterEach
    void stop() {
        producer.close();
    }

    private JobClient submit(Configuration settings) throws Exception {
        StreamExecutionEnvironment env = flink.environment(settings);
        new JobSetup(config, RunMode.LIVE).build(env);
        return env.executeAsync();
    }

    @Test
    void feedbackBecomesExamplesExactlyOnceAlsoWhenTheJobIsKilled() throws Exception {
        JobClient first = submit(new Configuration());
        sendSpec();
        sendDecisions(0, 500);
        sendBrokenRecords(10);
        heartbeat(500);
        await("the first examples", () -> journal().examples() >= 400);

        sendDecisions(500, 700);
        heartbeat(700);
        first.cancel().get(); // in the middle of a transaction, without a savepoint
        await("the end", () -> first.getJobStatus().get().isGloballyTerminalState());
        String newest = new StoredState(config.run().checkpoints()).newestReadable().orElseThrow();
        assertThat(newest).contains("chk-");
        Configuration resumed = new Configuration();
        resumed.set(StateRecoveryOptions.SAVEPOINT_PATH, newest);
        JobClient second = submit(resumed);
        sendDecisions(700, 1_000);
        heartbeat(2_000);
        await("all examples", () -> journal().examples() >= 1_000);

        journal().assertGapless();
        Map<String, Double> rewards = journal().rewards();
        assertThat(rewards).hasSize(1_000);
        rewards.forEach(
                (eventId, reward) -> {
                    int number = Integer.parseInt(eventId.substring(1));
                    assertThat(reward).as(eventId).isEqualTo(number % 2 == 0 ? 1.0 : 0.25);
                });
        assertThat(deadLetters()).hasSize(10).allMatch(it -> it.getRule().equals("NOT_A_RECORD"));
        assertThat(deadLetters())
                .extracting(it -> it.getTopic() + it.getPartition() + ":" + it.getOffset())
                .doesNotHaveDuplicates();
        assertThat(read(Topic.LATE)).isEmpty();
        second.cancel().get();
    }

    private void sendSpec() {
        LoopSpec spec =
                LoopSpec.builder("home").vectors(2, "a", "b").at(1, START.minusSeconds(1)).build();
        send(Topic.LOOPS, "home", LoopSpecRecord.class, LoopSpecConversion.toRecord(spec));
    }

    /** Decisions a hundred milliseconds apart; each waits a second, every other one is rewarded. */
    private void sendDecisions(int from, int to) {
        for (int i = from; i < to; i++) {
            String eventId = "e" + i;
            send(
                    Topic.IMPRESSIONS,
                    eventId,
                    ImpressionRecord.class,
                    IMPRESSIONS.toRecord(impression(eventId, timeOf(i))));
            if (i % 2 == 0) {
                send(
                        Topic.REWARDS,
                        eventId,
                        RewardRecord.class,
                        new RewardRecord(
                                "r",
                                eventId,
                                "home",
                                timeOf(i).plusMillis(200),
                                1.0,
                                RewardMetricRecord.REWARD));
            }
        }
    }

    private static Instant timeOf(int decision) {
        return START.plusMillis(100L * decision);
    }

    private static Impression impression(String eventId, Instant time) {
        return new Impression(
                eventId,
                "home",
                1,
                1,
                time,
                new Context.Vector(DenseVector.of(0.5f, -1.0f)),
                Choice.of(1, 0.5),
                new RewardRule(Duration.ofSeconds(1), 0.25, RewardAggregation.FIRST, false),
                OptionalDouble.empty());
    }

    private void sendBrokenRecords(int count) {
        Topic[] topics = {Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS};
        for (int i = 0; i < count; i++) {
            send(
                    new ProducerRecord<>(
                            config.topics().name(topics[i % topics.length]),
                            "home"
                                    .getBytes(
                                            StandardCharsets
                                                    .UTF_8), // compacted topics require a key
                            ("broken-" + i).getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void heartbeat(int decision) {
        byte[] value =
                WireCodec.of(HeartbeatRecord.class)
                        .encode(new HeartbeatRecord("test", timeOf(decision)));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
                send(new ProducerRecord<>(config.topics().name(topic), partition, null, value));
            }
        }
        producer.flush();
    }

    private <T extends SpecificRecordBase> void send(
            Topic topic, String key, Class<T> type, T record) {
        send(
                new ProducerRecord<>(
                        config.topics().name(topic),
                        key.getBytes(StandardCharsets.UTF_8),
                        WireCodec.of(type).encode(record)));
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        var unused = producer.send(record); // missing records fail the test later
    }

    private JournalLog journal() {
        return new JournalLog(read(Topic.JOURNAL));
    }

    private List<DeadLetterRecord> deadLetters() throws Exception {
        WireCodec<DeadLetterRecord> codec = WireCodec.of(DeadLetterRecord.class);
        List<DeadLetterRecord> letters = new ArrayList<>();
        for (byte[] value : read(Topic.DEAD_LETTERS)) {
            letters.add(codec.decode(value));
        }
        return letters;
    }

    private List<byte[]> read(Topic topic) {
        List<byte[]> values = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(config.topics().name(topic), record -> values.add(record.value()));
        }
        return values;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("%s within %s", what, LIMIT).isLessThan(deadlineNs);
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }
}
