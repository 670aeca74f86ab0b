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
 * Writes records to the topics that they name, and a dead letter instead of one that is too large.
 *
 * <p>It also tells the sink which topics those are: the sink asks Kafka for transactions that are
 * still open on them when it starts, to end what an earlier run left behind.
 */
public final class OutgoingRecordSchema
        implements KafkaRecordSerializationSchema<OutgoingRecord>, KafkaDatasetFacetProvider {

    private static final long serialVersionUID = 1L;

    private final RecordLimit limit;
    private final ArrayList<String> topics;

    private transient @Nullable Counter tooLarge; // null until it is opened

    /**
     * @param maxRecordBytes most bytes of key and value together
     * @param deadLetters the topic of dead letters
     * @param topics all topics that records may name, that one included
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
     * Kafka's timestamp is when the record was written, not its event time: retention goes by it,
     * and a replay of last year's log must not be deleted at once.
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
