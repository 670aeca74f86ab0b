package io.counterflow.flink.sinks;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.Collection;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * A sink of the job: one transaction for all its topics, committed with the checkpoint that
 * contains the state of its records.
 *
 * <p>Transactional ids use the pooling strategy. At startup the sink asks Kafka which transactions
 * of its prefix are open and aborts those that no checkpoint will commit, so transactions of an
 * earlier run do not block readers, whatever its parallelism was. The incrementing strategy would
 * probe names until one was never used and create a new name at each checkpoint.
 */
public final class OutgoingRecordSink {

    /**
     * Prefix of the identities in savepoints; the name of the sink follows. Renaming it loses
     * transactions that wait for their commit.
     */
    public static final String UID = "outgoing-records";

    /** Overhead of a request with one record, in bytes. */
    private static final int REQUEST_OVERHEAD = 16_000;

    /** Kafka's default, 16 KiB, holds a few impressions only: many requests, little compression. */
    private static final String BATCH_BYTES = Integer.toString(256 << 10);

    /** Costs no time: readers see records when their transaction is committed. */
    private static final String LINGER_MS = "20";

    private OutgoingRecordSink() {}

    /**
     * Creates a sink.
     *
     * @param name its name; each sink of a job has its own transactions
     * @param written the topics that are written, including dead letters
     */
    public static Sink<OutgoingRecord> of(
            String name,
            SinkConfig config,
            KafkaConfig kafka,
            Topics topics,
            Collection<Topic> written) {
        return new TransactionalSink(
                KafkaSink.<OutgoingRecord>builder()
                        .setKafkaProducerConfig(producerProperties(config, kafka))
                        .setBootstrapServers(kafka.bootstrapServers())
                        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                        .setTransactionalIdPrefix(config.transactionalIdPrefix(topics) + name + "/")
                        .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
                        .setRecordSerializer(
                                new OutgoingRecordSchema(
                                        config.maxRecordBytes(), kafka.values(), topics, written))
                        .build());
    }

    static Properties producerProperties(SinkConfig config, KafkaConfig kafka) {
        Properties properties = kafka.producerProperties();
        properties.setProperty(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        properties.setProperty(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        properties.setProperty(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                Long.toString(config.transactionTimeout().toMillis()));
        properties.setProperty(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                Integer.toString(config.maxRecordBytes() + REQUEST_OVERHEAD));
        return properties;
    }
}
