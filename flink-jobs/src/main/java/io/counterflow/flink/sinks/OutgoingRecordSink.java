package io.counterflow.flink.sinks;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.Collection;
import java.util.Locale;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The sink of all that leaves the job: one transaction for all topics, committed with the
 * checkpoint that holds the state which the records came from.
 *
 * <p>Transactions are named by pooling. At a start the sink then asks Kafka which transactions of
 * its prefix are open, and ends all that no checkpoint is going to commit: whatever the run before
 * left, at whatever parallelism, blocks readers no longer. Counting names up instead probes names
 * until one was never used, and gives Kafka a new name to remember at each checkpoint.
 */
public final class OutgoingRecordSink {

    /** Identity in savepoints. Renaming it loses transactions that wait for their commit. */
    public static final String UID = "outgoing-records";

    /** Bytes that a request has around a record. */
    private static final int REQUEST_OVERHEAD = 16_000;

    private OutgoingRecordSink() {}

    /**
     * The sink for some topics.
     *
     * @param topics names of topics
     * @param written those of them that records go to, dead letters among them
     */
    public static KafkaSink<OutgoingRecord> of(
            SinkConfig config, KafkaConfig kafka, Topics topics, Collection<Topic> written) {
        return KafkaSink.<OutgoingRecord>builder()
                .setKafkaProducerConfig(producerProperties(config, kafka))
                .setBootstrapServers(kafka.bootstrapServers())
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix(config.transactionalIdPrefix(topics))
                .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
                .setRecordSerializer(
                        new OutgoingRecordSchema(
                                config.maxRecordBytes(),
                                topics.name(Topic.DEAD_LETTERS),
                                topics.names(written)))
                .build();
    }

    static Properties producerProperties(SinkConfig config, KafkaConfig kafka) {
        Properties properties = kafka.properties();
        properties.setProperty(ProducerConfig.ACKS_CONFIG, "all");
        properties.setProperty(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        properties.setProperty(
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                config.compression().name().toLowerCase(Locale.ROOT));
        properties.setProperty(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                Long.toString(config.transactionTimeout().toMillis()));
        properties.setProperty(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                Integer.toString(config.maxRecordBytes() + REQUEST_OVERHEAD));
        return properties;
    }
}
