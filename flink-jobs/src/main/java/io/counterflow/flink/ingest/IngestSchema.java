package io.counterflow.flink.ingest;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decodes within the Kafka source, because there each partition has a watermark of its own, and
 * event time is known only after decoding.
 *
 * @param <E> what valid records become
 */
public abstract class IngestSchema<E extends IngestedEvent>
        implements KafkaRecordDeserializationSchema<Ingested<E>> {

    private static final long serialVersionUID = 1L;

    private transient @Nullable RecordDecoder<E> decoder; // made where it runs

    /** The decoder of the topic. */
    protected abstract RecordDecoder<E> newDecoder();

    @Override
    public final void open(DeserializationSchema.InitializationContext context) {
        decoder = newDecoder();
    }

    @Override
    public final void deserialize(
            ConsumerRecord<byte[], byte[]> record, Collector<Ingested<E>> out) {
        RecordDecoder<E> opened = decoder;
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
}
