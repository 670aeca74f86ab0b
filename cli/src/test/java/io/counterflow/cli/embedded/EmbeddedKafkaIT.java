package io.counterflow.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedKafkaIT {

    private static final TopicPartition SNAPSHOTS = new TopicPartition("snapshots", 0);

    @TempDir Path dir;

    @Test
    void onlyCommittedRecordsAreReadAfterARestart() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, EmbeddedKafka.FREE_PORT)) {
            try (Admin admin =
                    Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
                admin.createTopics(
                                List.of(
                                        new NewTopic(SNAPSHOTS.topic(), 1, (short) 1)
                                                .configs(Map.of("cleanup.policy", "compact"))))
                        .all()
                        .get();
            }
            write(kafka, "v1", true);
            write(kafka, "never", false);
            write(kafka, "v2", true);
            assertThat(read(kafka)).containsExactly("v1", "v2");
        }
        try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, EmbeddedKafka.FREE_PORT)) {
            assertThat(read(kafka)).containsExactly("v1", "v2");
        }
    }

    private static void write(EmbeddedKafka kafka, String value, boolean commit) {
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "transactional.id",
                        "test",
                        "key.serializer",
                        StringSerializer.class,
                        "value.serializer",
                        StringSerializer.class);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
            producer.initTransactions();
            producer.beginTransaction();
            Future<RecordMetadata> sent =
                    producer.send(new ProducerRecord<>(SNAPSHOTS.topic(), value, value));
            producer.flush();
            assertThat(sent).isDone();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private static List<String> read(EmbeddedKafka kafka) throws Exception {
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "isolation.level",
                        "read_committed",
                        "key.deserializer",
                        StringDeserializer.class,
                        "value.deserializer",
                        StringDeserializer.class);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(List.of(SNAPSHOTS));
            consumer.seekToBeginning(List.of(SNAPSHOTS));
            // By position, because markers of transactions take offsets too.
            long end = end(kafka);
            while (consumer.position(SNAPSHOTS) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }

    /** With open transactions: a commit returns before its marker is written. */
    private static long end(EmbeddedKafka kafka) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            return admin.listOffsets(Map.of(SNAPSHOTS, OffsetSpec.latest()))
                    .partitionResult(SNAPSHOTS)
                    .get()
                    .offset();
        }
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (ServerSocket taken =
                new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            assertThatThrownBy(() -> EmbeddedKafka.start(dir, taken.getLocalPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "port %d is in use; choose another port for Kafka"
                                    .formatted(taken.getLocalPort()));
        }
    }
}
