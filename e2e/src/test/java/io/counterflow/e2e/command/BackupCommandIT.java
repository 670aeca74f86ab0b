package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics are copied to files and back. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class BackupCommandIT {

    @TempDir private Path directory;

    private JobConfig config;
    private Path file;
    private Path backup;

    /** Of a record: all but the offset, which only the topics that the job reads keep. */
    private record Stored(
            String key, String value, String timestamp, Map<String, String> headers) {}

    @BeforeEach
    void createTopics(SharedKafka kafka) throws Exception {
        file =
                Files.writeString(
                        directory.resolve("counterflow.yaml"),
                        kafka.settings()
                                + """
                                kafka.event-partitions: 3
                                kafka.partitions: 2
                                storage.directory: %s
                                """
                                        .formatted(directory.resolve("storage")));
        backup = directory.resolve("backup");
        config = JobConfig.read(file, Map.of());
        new JobSetup(config, RunMode.LIVE).ensureTopics();
    }

    private KafkaProducer<byte[], byte[]> producer(boolean transactional) {
        Properties properties = config.kafka().producerProperties();
        if (transactional) {
            properties.setProperty("transactional.id", config.topics().prefix() + "/test");
        }
        return new KafkaProducer<>(
                properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private ProducerRecord<byte[], byte[]> record(Topic topic, int partition, String value) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(
                        config.topics().name(topic),
                        partition,
                        ("key of " + value).getBytes(StandardCharsets.UTF_8),
                        value.isEmpty() ? null : value.getBytes(StandardCharsets.UTF_8));
        record.headers().add("of", value.getBytes(StandardCharsets.UTF_8));
        record.headers().add("none", null);
        return record;
    }

    /** Records with every kind of gap between them: markers, aborted and expired records. */
    private void fill() throws Exception {
        try (var plain = producer(false);
                var transactional = producer(true);
                Admin admin = Admin.create(config.kafka().properties())) {
            transactional.initTransactions();
            for (int i = 0; i < 7; i++) {
                plain.send(record(Topic.IMPRESSIONS, 0, "i-" + i)).get();
                plain.send(record(Topic.REWARDS, 1, "r-" + i)).get();
                plain.send(record(Topic.REWARDS, 2, "s-" + i)).get();
            }
            var expired = new TopicPartition(config.topics().name(Topic.REWARDS), 1);
            var one = new TopicPartition(config.topics().name(Topic.REWARDS), 2);
            var all = new TopicPartition(config.topics().name(Topic.IMPRESSIONS), 0);
            admin.deleteRecords(
                            Map.of(
                                    expired, RecordsToDelete.beforeOffset(4),
                                    one, RecordsToDelete.beforeOffset(1),
                                    all, RecordsToDelete.beforeOffset(7)))
                    .all()
                    .get();
            for (Topic topic : List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS, Topic.JOURNAL)) {
                plain.send(record(topic, 1, "plain")).get();
                transact(transactional, true, topic, "a", "b");
                transact(transactional, true, topic, "c");
                transact(transactional, false, topic, "aborted");
                transact(transactional, true, topic, "");
                plain.send(record(topic, 1, "again")).get();
                transact(transactional, false, topic, "x", "y", "z");
            }
        }
    }

    private void transact(
            KafkaProducer<byte[], byte[]> producer, boolean commit, Topic topic, String... values)
            throws Exception {
        producer.beginTransaction();
        for (String value : values) {
            producer.send(record(topic, 1, value)).get();
        }
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }

    private Map<String, Stored> read(Topic topic, boolean withOffsets) {
        Map<String, Stored> records = new TreeMap<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.topics().name(topic),
                    record ->
                            records.put(
                                    "%d/%03d"
                                            .formatted(
                                                    record.partition(),
                                                    withOffsets ? record.offset() : records.size()),
                                    stored(record)));
        }
        return records;
    }

    private static Stored stored(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : record.headers()) {
            headers.put(header.key(), text(header.value()));
        }
        return new Stored(
                text(record.key()),
                text(record.value()),
                Long.toString(record.timestamp()),
                headers);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private Map<Integer, Long> ends(Topic topic) {
        try (TopicReader reader = new TopicReader(config.kafka())) {
            return reader.ends(config.topics().name(topic));
        }
    }

    private Map<String, String> configs() throws Exception {
        Map<String, String> configs = new TreeMap<>();
        try (Admin admin = Admin.create(config.kafka().properties())) {
            List<ConfigResource> resources = new ArrayList<>();
            for (String topic : config.topics().names(List.of(Topic.values()))) {
                resources.add(new ConfigResource(ConfigResource.Type.TOPIC, topic));
            }
            admin.describeConfigs(resources)
                    .all()
                    .get()
                    .forEach(
                            (resource, values) ->
                                    values.entries()
                                            .forEach(
                                                    it ->
                                                            configs.put(
                                                                    resource.name() + it.name(),
                                                                    it.value() + it.source())));
        }
        return configs;
    }

    private void deleteTopics() throws Exception {
        List<String> names = config.topics().names(List.of(Topic.values()));
        try (Admin admin = Admin.create(config.kafka().properties())) {
            admin.deleteTopics(names).all().get();
            while (admin.listTopics().names().get().stream().anyMatch(names::contains)) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    private JsonNode restore() throws Exception {
        return OfflineCommands.json("restore", "--config", file, "--in", backup);
    }

    @Test
    void restoredTopicsAreThoseOfTheBackup() throws Exception {
        fill();
        Map<String, String> configs = configs();
        Map<Topic, Map<String, Stored>> before = new TreeMap<>();
        Map<Topic, Map<Integer, Long>> ends = new TreeMap<>();
        for (Topic topic : Topic.values()) {
            before.put(topic, read(topic, topic != Topic.JOURNAL));
            ends.put(topic, ends(topic));
        }
        assertThat(before.get(Topic.LOOPS)).hasSize(6);
        assertThat(before.get(Topic.REWARDS)).hasSize(3 + 6);
        JsonNode written = OfflineCommands.json("backup", "--config", file, "--out", backup);
        assertThat(written.at("/records/loops").asInt()).isEqualTo(6);
        deleteTopics();

        assertThat(restore().get("records").asInt()).isEqualTo(9 + 3 * 6);
        for (Topic topic : Topic.values()) {
            assertThat(read(topic, topic != Topic.JOURNAL))
                    .as(topic.suffix())
                    .isEqualTo(before.get(topic));
            if (topic != Topic.JOURNAL) {
                assertThat(ends(topic)).as(topic.suffix()).isEqualTo(ends.get(topic));
            }
        }
        assertThat(configs()).isEqualTo(configs);
        new JobSetup(config, RunMode.LIVE).ensureTopics();
    }

    @Test
    void topicsWithRecordsAreNotRestored() throws Exception {
        fill();
        OfflineCommands.json("backup", "--config", file, "--out", backup);
        OfflineCommands command = new OfflineCommands();
        assertThat(command.run("restore", "--config", file, "--in", backup)).isEqualTo(2);
        assertThat(command.err()).contains("must be empty, but has had 7 records");
    }

    @Test
    void anIncompleteBackupIsNotRestored() throws Exception {
        OfflineCommands.json("backup", "--config", file, "--out", backup);
        Files.delete(backup.resolve("backup.json"));
        OfflineCommands command = new OfflineCommands();
        assertThat(command.run("restore", "--config", file, "--in", backup)).isEqualTo(2);
        assertThat(command.err()).contains("backup.json is missing");
    }

    /** Its savepoints do not belong to such a backup. */
    @Test
    void aBackupOfARunningJobIsReported() throws Exception {
        try (var transactional = producer(true)) {
            transactional.initTransactions();
            transactional.beginTransaction();
            transactional.send(record(Topic.JOURNAL, 1, "open")).get();
            OfflineCommands command = new OfflineCommands();
            assertThat(command.run("backup", "--config", file, "--out", backup)).isEqualTo(0);
            assertThat(command.err()).contains("Stop the job with a savepoint");
            transactional.abortTransaction();
        }
    }
}
