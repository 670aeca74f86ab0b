package io.counterflow.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.TopicSchemas;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.schemas.wire.WireHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConfluentEncodingIT {

    private static final Topics TOPICS = new Topics("c");
    private static final byte[] HEARTBEAT =
            WireCodec.of(HeartbeatRecord.class).encode(new HeartbeatRecord("test", Instant.EPOCH));

    private FakeRegistry registry;

    @BeforeEach
    void start() throws IOException {
        registry = new FakeRegistry();
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    @Test
    void everyTopicHasASubjectForWhatItIsForAndOthersForTheRest() {
        var unused = registry.encoding(null).writer(TOPICS, List.of(Topic.values()));
        assertThat(registry.subjects)
                .containsKeys(
                        "c.impressions-value",
                        "c.impressions-io.counterflow.schemas.record.RetractionRecord",
                        "c.impressions-io.counterflow.schemas.record.HeartbeatRecord",
                        "c.rewards-value",
                        "c.journal-value",
                        "c.policy-snapshots-value",
                        "c.rollouts-io.counterflow.schemas.record.LoopSpecRecord");
        assertThat(registry.subjects.get("c.impressions-value")).contains("ImpressionRecord");
        assertThat(registry.subjects.get("c.journal-value")).contains("JournalRecord");
    }

    @Test
    void onlyTheHeaderOfARecordChangesAndTheReaderChangesItBack() {
        ConfluentEncoding encoding = registry.encoding(null);
        Serializer<byte[]> writer = encoding.writer(TOPICS, List.of(Topic.REWARDS, Topic.LOOPS));
        byte[] written = writer.serialize("c.rewards", HEARTBEAT);
        assertThat(written[0]).isZero();
        String schema =
                Objects.requireNonNull(
                        registry.subjects.get("c.rewards-" + HeartbeatRecord.class.getName()));
        assertThat(ByteBuffer.wrap(written).getInt(1)).isEqualTo(registry.id(schema));
        assertThat(Arrays.copyOfRange(written, 5, written.length))
                .isEqualTo(Arrays.copyOfRange(HEARTBEAT, 10, HEARTBEAT.length));

        Deserializer<byte[]> reader = encoding.reader();
        registry.requests.clear();
        assertThat(reader.deserialize("c.rewards", written)).isEqualTo(HEARTBEAT);
        assertThat(encoding.reader().deserialize("c.rewards", written)).isEqualTo(HEARTBEAT);
        assertThat(registry.requests).as("a schema is asked for once").hasSize(1);
    }

    @Test
    void afterTheStartTheWriterNeedsNoRegistry() {
        Serializer<byte[]> writer =
                registry.encoding(null).writer(TOPICS, List.of(Topic.IMPRESSIONS));
        registry.close();
        assertThat(writer.serialize("c.impressions", HEARTBEAT)[0]).isZero();
        assertThat(writer.serialize("c.impressions", null)).isNull();
        byte[] journal = WireHeader.of(JournalRecord.getClassSchema());
        for (byte[] other : List.of(journal, new byte[0], new byte[20])) {
            assertThatThrownBy(() -> writer.serialize("c.impressions", other))
                    .isInstanceOf(SerializationException.class);
        }
        assertThatThrownBy(() -> writer.serialize("c.journal", journal))
                .as("a topic that was not named")
                .isInstanceOf(SerializationException.class);
    }

    @Test
    void theSchemaOfAnotherProducerHasTheFingerprintOfItsCanonicalForm() {
        String schema = TopicSchemas.of(Topic.REWARDS).get(0).schema().toString();
        String plain =
                schema.replaceAll("\"doc\":\"[^\"]*\",?", "")
                        .replaceAll(",}", "}")
                        .replace(
                                "{\"type\":\"string\",\"avro.java.string\":\"String\"}",
                                "\"string\"");
        assertThat(plain).isNotEqualTo(schema);
        byte[] value = ByteBuffer.allocate(7).put((byte) 0).putInt(registry.add(plain)).array();
        assertThat(registry.encoding(null).reader().deserialize("c.rewards", value))
                .startsWith(WireHeader.of(TopicSchemas.of(Topic.REWARDS).get(0).schema()));
    }

    @Test
    void whatIsNotInTheEncodingStaysAsItIs() {
        Deserializer<byte[]> reader = registry.encoding(null).reader();
        int proto = registry.add("message Reward {}");
        byte[] unknown = {0, 0, 0, 7, 7, 1};
        byte[] notAvro = ByteBuffer.allocate(9).put((byte) 0).putInt(proto).array();
        byte[] huge = {0, -1, -1, -1, -1, 1};
        for (byte[] value :
                List.of(HEARTBEAT, new byte[0], new byte[] {0, 0, 0}, unknown, notAvro)) {
            assertThat(reader.deserialize("c.rewards", value)).isEqualTo(value);
        }
        assertThat(reader.deserialize("c.rewards", null)).isNull();
        registry.requests.clear();
        assertThat(reader.deserialize("c.rewards", unknown)).isEqualTo(unknown);
        assertThat(registry.requests).as("an unknown id is remembered").isEmpty();
        registry.answer(404, "{}");
        assertThat(reader.deserialize("c.rewards", huge)).isEqualTo(huge);
        assertThat(registry.requests).containsExactly("/schemas/ids/4294967295");
    }

    @Test
    void credentialsAreSentAndNotShown() {
        ConfluentEncoding encoding = registry.encoding("user:pass word");
        var unused = encoding.writer(TOPICS, List.of(Topic.JOURNAL));
        assertThat(registry.requests)
                .containsExactly(
                        "/subjects/c.journal-value/versions Basic "
                                + Base64.getEncoder()
                                        .encodeToString(
                                                "user:pass word".getBytes(StandardCharsets.UTF_8)));
        assertThat(encoding.toString()).doesNotContain("pass word").contains("http://127.0.0.1");
    }

    @Test
    void aRegistryThatIsAwayIsAFailureThatMayPass() {
        ConfluentEncoding encoding = registry.encoding(null);
        registry.answer(503, "busy");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> encoding.writer(TOPICS, List.of(Topic.JOURNAL)))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(ConfigException.class)
                    .hasMessageContaining("the schema registry http://127.0.0.1");
            assertThatThrownBy(
                            () ->
                                    encoding.reader()
                                            .deserialize("c.journal", new byte[] {0, 0, 0, 0, 1}))
                    .isInstanceOf(KafkaException.class);
            registry.close(); // the second time, nobody answers
        }
    }

    @Test
    void aRefusalIsAnErrorOfTheConfiguration() {
        ConfluentEncoding encoding = registry.encoding(null);
        registry.answer(409, "{\"error_code\":409,\"message\":\"incompatible\"}");
        assertThatThrownBy(() -> encoding.writer(TOPICS, List.of(Topic.JOURNAL)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("refuses the schema of c.journal-value: 409")
                .hasMessageContaining("incompatible");
        registry.answer(200, "<html>");
        assertThatThrownBy(() -> encoding.writer(TOPICS, List.of(Topic.JOURNAL)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "must be the API of a schema registry, got the answer <html>");
    }
}
