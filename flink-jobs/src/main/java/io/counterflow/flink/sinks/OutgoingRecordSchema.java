package io.counterflow.flink.sinks;

import java.util.ArrayList;
import java.util.List;
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
    private final ArrayList<String> topics;

    private transient @Nullable Counter tooLarge; // null until it is opened

    /**
     * @param maxRecordBytes maximum size of key and value together
     * @param topics all topics that records may name, including dead letters
     */
    public OutgoingRecordSchema(int maxRecordBytes, String deadLetters, List<String> topics) {
        this.limit = new RecordLimit(maxRecordBytes, deadLetters);
        this.topics = new ArrayList<>(topics);
    }

    @Override
    public void open(
            SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
        tooLarge = context.getMetricGroup().counter("too_large", new SimpleCounter());
    }

    /**
     * The Kafka timestamp is the time of writing, not the event time. Retention uses it, and a
     * batch run over an old log must not write records that Kafka deletes at once.
     */
    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            OutgoingRecord record, KafkaSinkContext context, @Nullable Long eventTimeMs) {
        OutgoingRecord written = record;
        if (!limit.allows(record)) {
            written = limit.letterFor(record, eventTimeMs);
            if (tooLarge != null) {
                tooLarge.inc();
            }
        }
        return new ProducerRecord<>(written.topic(), written.key(), written.value());
    }

    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
        return Optional.of(
                new DefaultKafkaDatasetFacet(DefaultKafkaDatasetIdentifier.ofTopics(topics)));
    }
}
