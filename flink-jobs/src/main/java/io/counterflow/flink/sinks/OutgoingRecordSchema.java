package io.counterflow.flink.sinks;

import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.topics.ValueEncoding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to the topics that they name. A record that is too large is replaced by a dead
 * letter.
 *
 * <p>The schema also gives the sink the list of topics. At startup the sink asks Kafka for open
 * transactions on them and aborts those of an earlier run.
 */
final class OutgoingRecordSchema
        implements KafkaRecordSerializationSchema<OutgoingRecord>, KafkaDatasetFacetProvider {

    private static final long serialVersionUID = 1L;

    private final RecordLimit limit;
    private final ValueEncoding values;
    private final Topics topics;
    private final ArrayList<Topic> written;

    private transient @Nullable Counter tooLarge; // null until it is opened
    private transient @Nullable Serializer<byte[]> writer; // null until it is used

    /**
     * @param maxRecordBytes maximum size of key and value together
     * @param written all topics that records may name, including dead letters
     */
    public OutgoingRecordSchema(
            int maxRecordBytes, ValueEncoding values, Topics topics, Collection<Topic> written) {
        this.limit = new RecordLimit(maxRecordBytes, topics.name(Topic.DEAD_LETTERS));
        this.values = values;
        this.topics = topics;
        this.written = new ArrayList<>(written);
    }

    @Override
    public void open(
            SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
        tooLarge = context.getMetricGroup().counter("too_large", new SimpleCounter());
        var unused = writer(); // fails before the first record, if it fails
    }

    private Serializer<byte[]> writer() {
        Serializer<byte[]> existing = writer;
        if (existing == null) {
            existing = values.writer(topics, written);
            writer = existing;
        }
        return existing;
    }

    /**
     * The Kafka timestamp is the time of writing, not the event time. Retention uses it, and a
     * batch run over an old log must not write records that Kafka deletes at once.
     */
    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            OutgoingRecord record, KafkaSinkContext context, @Nullable Long eventTimeMs) {
        OutgoingRecord allowed = record;
        if (!limit.allows(record)) {
            allowed = limit.letterFor(record, eventTimeMs);
            if (tooLarge != null) {
                tooLarge.inc();
            }
        }
        return new ProducerRecord<>(
                allowed.topic(),
                allowed.key(),
                writer().serialize(allowed.topic(), allowed.value()));
    }

    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
        return Optional.of(
                new DefaultKafkaDatasetFacet(
                        DefaultKafkaDatasetIdentifier.ofTopics(topics.names(written))));
    }
}
