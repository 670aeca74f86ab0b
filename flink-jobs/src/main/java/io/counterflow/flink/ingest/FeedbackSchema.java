package io.counterflow.flink.ingest;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decodes within the Kafka source, because there each partition has a watermark of its own, and
 * event time is known only after decoding.
 */
public final class FeedbackSchema implements KafkaRecordDeserializationSchema<Ingested> {

    private static final long serialVersionUID = 1L;

    private final FeedbackTopic topic;
    private final IngestLimits limits;

    private transient @Nullable FeedbackDecoder decoder; // made where it runs

    public FeedbackSchema(FeedbackTopic topic, IngestLimits limits) {
        this.topic = topic;
        this.limits = limits;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        decoder = new FeedbackDecoder(topic, limits);
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Ingested> out) {
        FeedbackDecoder opened = decoder;
        if (opened == null) {
            throw new IllegalStateException("open must be called before deserialize");
        }
        out.collect(
                opened.decode(
                        new RawRecord(
                                record.topic(),
                                record.partition(),
                                record.offset(),
                                record.timestamp(),
                                record.key(),
                                record.value())));
    }

    @Override
    public TypeInformation<Ingested> getProducedType() {
        return TypeInformation.of(Ingested.class);
    }
}
