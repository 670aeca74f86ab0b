package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoopWatchIT {

    private static final int SNAPSHOTS = 700; // more than one poll brings
    private static final long PROMOTED = 300;

    @TempDir private Path directory;

    private static byte[] snapshot(World world, String loop, long version) {
        return WireCodec.of(PolicySnapshotRecord.class)
                .encode(
                        SnapshotConversion.toRecord(
                                PolicySnapshot.of(
                                        loop,
                                        version,
                                        world.spec().startingModel(),
                                        world.spec().encoder())));
    }

    private static void createTopics(KafkaConfig kafka, Topics topics) {
        TopicSettings settings =
                new TopicSettings(1, 1, 0, Duration.ofDays(1), Duration.ofDays(1), 500_000);
        try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings)) {
            admin.ensure(List.of(Topic.values()), true);
        }
    }

    /** At a restart, earlier records must not count as results of the new run. */
    @Test
    void theRecordsOfAnEarlierRunAreReadBeforeTheWatchHasStarted() throws Exception {
        World world = new NewsWorld(1);
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            Topics topics = new Topics("c");
            createTopics(kafka, topics);
            publish(kafka, topics, world, world.loop());
            DemoHistory history = new DemoHistory(world);
            List<String> failures = new ArrayList<>();
            try (LoopWatch watch =
                    LoopWatch.start(
                            world.loop(),
                            history,
                            kafka,
                            topics,
                            () -> false,
                            failures::add,
                            failures::add)) {
                assertThat(history.learning().snapshots()).isEqualTo(SNAPSHOTS);
                assertThat(history.learning().newestVersion()).isEqualTo(SNAPSHOTS + 1);
                assertThat(history.learning().generations())
                        .extracting(DemoHistory.Generation::version)
                        .containsExactly(1L, PROMOTED);
                assertThat(history.learning().generations().get(1).trueValue()).isNotNull();
                assertThat(history.of(world.loop()).orElseThrow().versions())
                        .containsOnlyKeys(1L, PROMOTED);
                assertThat(watch.examples()).isZero();
            }
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void otherLoopsCountForNothing() throws Exception {
        World world = new NewsWorld(1);
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            Topics topics = new Topics("c");
            createTopics(kafka, topics);
            publish(kafka, topics, world, "other");
            DemoHistory history = new DemoHistory(world);
            List<String> failures = new ArrayList<>();
            try (LoopWatch watch =
                    LoopWatch.start(
                            world.loop(),
                            history,
                            kafka,
                            topics,
                            () -> false,
                            failures::add,
                            failures::add)) {
                sendCounts(kafka, topics, "other", 7);
                sendCounts(kafka, topics, world.loop(), 3); // on the same partition, so read later
                await(() -> watch.examples() >= 3);
                assertThat(watch.examples()).isEqualTo(3);
                assertThat(history.learning().snapshots()).isZero();
                assertThat(history.learning().newestVersion()).isEqualTo(1);
                assertThat(generations(history)).hasSize(1);
            }
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void afterAFailureTheWatchContinuesAndCountsNothingTwice() throws Exception {
        FailingWorld world = new FailingWorld();
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            Topics topics = new Topics("c");
            createTopics(kafka, topics);
            publish(kafka, topics, world, world.loop());
            DemoHistory history = new DemoHistory(world);
            BlockingQueue<String> notes = new LinkedBlockingQueue<>();
            List<String> failures = new ArrayList<>();
            try (LoopWatch watch =
                    LoopWatch.start(
                            world.loop(),
                            history,
                            kafka,
                            topics,
                            () -> false,
                            notes::add,
                            failures::add)) {
                sendCounts(kafka, topics, world.loop(), 3);
                await(() -> watch.examples() == 3);
                world.failsNext.set(true);
                sendPromotion(kafka, topics, world.loop(), 2, SNAPSHOTS + 1);
                assertThat(notes.poll(1, TimeUnit.MINUTES)).contains("Kafka is down");
                sendCounts(kafka, topics, world.loop(), 2); // while nobody reads
                await(() -> watch.examples() >= 5);
                await(() -> generations(history).get(2).trueValue() != null);
                assertThat(watch.examples()).isEqualTo(5);
                assertThat(watch.unused(UnusedKindRecord.LATE)).isEqualTo(4);
                assertThat(watch.unused(UnusedKindRecord.DEAD_LETTER)).isEqualTo(2);
                assertThat(history.learning().snapshots()).isEqualTo(SNAPSHOTS);
                assertThat(generations(history))
                        .extracting(DemoHistory.Generation::version)
                        .containsExactly(1L, PROMOTED, SNAPSHOTS + 1L);
            }
            assertThat(failures).as("reasons to end the demo").isEmpty();
        }
    }

    private static List<DemoHistory.Generation> generations(DemoHistory history) {
        return history.learning().generations();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the time limit").isLessThan(endNs);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** A world whose next true value fails as Kafka would. */
    private static final class FailingWorld implements World {

        private final World world = new NewsWorld(1);
        private final AtomicBoolean failsNext = new AtomicBoolean();

        @Override
        public LoopSpec spec() {
            return world.spec();
        }

        @Override
        public Visit visit(EventRandom random) {
            return world.visit(random);
        }

        @Override
        public double best() {
            return world.best();
        }

        @Override
        public double uniform() {
            return world.uniform();
        }

        @Override
        public double valueOf(Policy policy) {
            if (failsNext.getAndSet(false)) {
                throw new KafkaException("Kafka is down");
            }
            return world.valueOf(policy);
        }
    }

    private static void publish(KafkaConfig kafka, Topics topics, World world, String loop) {
        try (KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
            for (long version = 2; version <= SNAPSHOTS + 1; version++) {
                byte[] value = snapshot(world, loop, version);
                for (String key : List.of(loop, loop + "@" + version)) {
                    send(producer, topics.name(Topic.POLICY_SNAPSHOTS), key, value);
                }
            }
        }
        sendPromotion(kafka, topics, loop, 1, PROMOTED);
    }

    private static void sendPromotion(
            KafkaConfig kafka, Topics topics, String loop, long sequence, long version) {
        RolloutRecord promoted =
                DemoHistoryTest.change(sequence, RolloutKindRecord.PROMOTED, version, 0.3);
        try (KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
            send(
                    producer,
                    topics.name(Topic.ROLLOUTS),
                    loop,
                    WireCodec.of(RolloutRecord.class).encode(promoted));
        }
    }

    private static void sendCounts(KafkaConfig kafka, Topics topics, String loop, long examples) {
        LoopCountsRecord counts =
                new LoopCountsRecord(
                        loop,
                        Instant.EPOCH,
                        examples,
                        null,
                        List.of(
                                new UnusedCountRecord(UnusedKindRecord.LATE, "ORPHANED", 2L, ""),
                                new UnusedCountRecord(
                                        UnusedKindRecord.DEAD_LETTER, "NO_SPEC", 1L, "")),
                        0L,
                        0L);
        try (KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
            send(
                    producer,
                    topics.name(Topic.LOOP_COUNTS),
                    loop,
                    WireCodec.of(LoopCountsRecord.class).encode(counts));
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(KafkaConfig kafka) {
        return new KafkaProducer<>(
                kafka.properties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, String topic, String key, byte[] value) {
        var unused =
                producer.send(
                        new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value));
    }
}
