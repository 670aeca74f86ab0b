package io.counterflow.flink.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.topics.Compression;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.topics.ValueEncoding;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.kafka.sink.DefaultKafkaSinkContext;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema.KafkaSinkContext;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Test;

final class OutgoingRecordSchemaTest {

    private static final byte[] KEY = "home".getBytes(StandardCharsets.UTF_8);

    private static final KafkaSinkContext CONTEXT =
            new DefaultKafkaSinkContext(0, 1, new Properties());

    private final OutgoingRecordSchema schema =
            new OutgoingRecordSchema(
                    100_000,
                    ValueEncoding.SingleObject.INSTANCE,
                    new Topics("c"),
                    List.of(Topic.JOURNAL, Topic.DEAD_LETTERS));

    @Test
    void aRecordGoesToItsTopicWithoutATimeOfItsOwn() {
        byte[] value = {1, 2, 3};
        ProducerRecord<byte[], byte[]> written =
                schema.serialize(new OutgoingRecord("c.journal", KEY, value), CONTEXT, 17L);

        assertThat(written.topic()).isEqualTo("c.journal");
        assertThat(written.key()).isEqualTo(KEY);
        assertThat(written.value()).isEqualTo(value);
        assertThat(written.timestamp()).as("Kafka's clock decides").isNull();
        assertThat(written.partition()).as("the key decides").isNull();
    }

    @Test
    void aRecordThatNoBrokerTakesBecomesALetterThatSaysSo() throws Exception {
        byte[] value = new byte[100_000];
        ProducerRecord<byte[], byte[]> written =
                schema.serialize(new OutgoingRecord("c.journal", KEY, value), CONTEXT, 17L);

        assertThat(written.topic()).isEqualTo("c.dead-letters");
        DeadLetterRecord letter = WireCodec.of(DeadLetterRecord.class).decode(written.value());
        assertThat(letter.getTopic()).isEqualTo("c.journal");
        assertThat(letter.getRule()).isEqualTo("TOO_LARGE_TO_WRITE");
        assertThat(letter.getReason())
                .isEqualTo("record must not be larger than 100000 bytes, got 100004");
        assertThat(letter.getTime()).isEqualTo(Instant.ofEpochMilli(17));
        assertThat(letter.getKey()).isEqualTo(ByteBuffer.wrap(KEY));
        assertThat(letter.getValue().remaining()).isEqualTo(65_536);
        assertThat(written.value()).hasSizeLessThan(100_000);
    }

    @Test
    void theSinkIsToldAllTopicsAlsoAfterAJourney() throws Exception {
        OutgoingRecordSchema arrived = InstantiationUtil.clone(schema);
        assertThat(arrived.getKafkaDatasetFacet().orElseThrow().getTopicIdentifier().getTopics())
                .containsExactly("c.journal", "c.dead-letters");
        assertThat(
                        arrived.serialize(
                                new OutgoingRecord("c.journal", null, new byte[200_000]),
                                CONTEXT,
                                null))
                .extracting(ProducerRecord::topic)
                .isEqualTo("c.dead-letters");
    }

    @Test
    void theProducerWritesSafelyAndGivesUpBeforeTheBrokerDoes() {
        SinkConfig config =
                new SinkConfig("job", Duration.ofMinutes(10), 1_000_000, 500_000, "file:///s");
        assertThat(
                        OutgoingRecordSink.producerProperties(
                                config,
                                new KafkaConfig(
                                        "b:1",
                                        Map.of("acks", "0"),
                                        Compression.ZSTD,
                                        ValueEncoding.SingleObject.INSTANCE)))
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", "true")
                .containsEntry("compression.type", "zstd")
                .containsEntry("transaction.timeout.ms", "600000")
                .containsEntry("max.request.size", "1016000");
    }

    @Test
    void aValueIsEncodedAsTheTopicsAreAlsoThatOfALetter() {
        OutgoingRecordSchema encoding =
                new OutgoingRecordSchema(
                        100_000, new Marking(), new Topics("c"), List.of(Topic.DEAD_LETTERS));
        ProducerRecord<byte[], byte[]> written =
                encoding.serialize(
                        new OutgoingRecord("c.journal", KEY, new byte[] {1}), CONTEXT, 17L);
        assertThat(new String(written.value(), StandardCharsets.UTF_8))
                .isEqualTo("c.journal 1 [DEAD_LETTERS]");
        ProducerRecord<byte[], byte[]> letter =
                encoding.serialize(
                        new OutgoingRecord("c.journal", KEY, new byte[100_000]), CONTEXT, 17L);
        assertThat(new String(letter.value(), StandardCharsets.UTF_8))
                .startsWith("c.dead-letters ");
    }

    /** Replaces a value by its topic, its length and the topics that were named. */
    private static final class Marking implements ValueEncoding {

        private static final long serialVersionUID = 1L;

        @Override
        public Serializer<byte[]> writer(Topics topics, Collection<Topic> written) {
            return (topic, value) ->
                    "%s %d %s"
                            .formatted(topic, value.length, written)
                            .getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Deserializer<byte[]> reader() {
            return (topic, value) -> value;
        }
    }
}
