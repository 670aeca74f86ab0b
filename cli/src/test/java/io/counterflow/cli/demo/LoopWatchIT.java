package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoopWatchIT {

    private static final int SNAPSHOTS = 700; // more than one poll brings
    private static final long PROMOTED = 300;

    @TempDir private Path directory;

    private static byte[] snapshot(World world, long version) {
        return WireCodec.of(PolicySnapshotRecord.class)
                .encode(
                        SnapshotConversion.toRecord(
                                PolicySnapshot.of(
                                        world.loop(),
                                        version,
                                        world.spec().startingModel(),
                                        world.spec().encoder())));
    }

    /** At a restart, earlier records must not count as results of the new run. */
    @Test
    void theRecordsOfAnEarlierRunAreReadBeforeTheWatchHasStarted() throws Exception {
        World world = new NewsWorld(1);
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            Topics topics = new Topics("c");
            try (TopicAdmin admin =
                    TopicAdmin.connect(
                            kafka,
                            topics,
                            new TopicSettings(
                                    1, 1, 0, Duration.ofDays(1), Duration.ofDays(1), 500_000))) {
                admin.ensure(List.of(Topic.values()), true);
            }
            publish(kafka, topics, world);
            DemoHistory history = new DemoHistory(world);
            List<String> failures = new ArrayList<>();
            try (LoopWatch watch =
                    LoopWatch.start(history, kafka, topics, () -> false, failures::add)) {
                assertThat(history.learning().snapshots()).isEqualTo(SNAPSHOTS);
                assertThat(history.learning().newestVersion()).isEqualTo(SNAPSHOTS + 1);
                assertThat(history.learning().generations())
                        .extracting(DemoHistory.Generation::version)
                        .containsExactly(1L, PROMOTED);
                assertThat(history.learning().generations().get(1).trueValue()).isNotNull();
                assertThat(history.of(world.loop()).orElseThrow().versions())
                        .containsOnlyKeys(1L, PROMOTED);
                assertThat(watch.count(Topic.EXAMPLES)).isZero();
            }
            assertThat(failures).isEmpty();
        }
    }

    private static void publish(KafkaConfig kafka, Topics topics, World world) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        kafka.properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long version = 2; version <= SNAPSHOTS + 1; version++) {
                byte[] value = snapshot(world, version);
                for (String key : List.of(world.loop(), world.loop() + "@" + version)) {
                    send(producer, topics.name(Topic.POLICY_SNAPSHOTS), key, value);
                }
            }
            RolloutRecord promoted =
                    DemoHistoryTest.change(1, RolloutKindRecord.PROMOTED, PROMOTED, 0.3);
            send(
                    producer,
                    topics.name(Topic.ROLLOUTS),
                    world.loop(),
                    WireCodec.of(RolloutRecord.class).encode(promoted));
        }
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, String topic, String key, byte[] value) {
        var unused =
                producer.send(
                        new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value));
    }
}
