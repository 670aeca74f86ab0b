package io.counterflow.flink.ingest;

import io.counterflow.schemas.topics.ValueEncoding;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records in the Kafka source, because watermarks are generated per partition there and
 * need the event time of each record.
 */
public final class IngestSchema<E extends IngestedEvent>
        implements KafkaRecordDeserializationSchema<Ingested<E>> {

    private static final long serialVersionUID = 1L;

    private final RecordDecoder.Factory<E> decoders;
    private final IngestLimits limits;
    private final ValueEncoding values;
    private final TypeInformation<Ingested<E>> type;
    private transient @Nullable RecordDecoder<E> decoder; // created by open
    private transient @Nullable Deserializer<byte[]> reader; // created by open

    public IngestSchema(
            RecordDecoder.Factory<E> decoders,
            IngestLimits limits,
            ValueEncoding values,
            TypeInformation<Ingested<E>> type) {
        this.decoders = decoders;
        this.limits = limits;
        this.values = values;
        this.type = type;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        decoder = decoders.create(limits);
        reader = values.reader();
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Ingested<E>> out) {
        RecordDecoder<E> opened = decoder;
        Deserializer<byte[]> valueReader = reader;
        if (opened == null || valueReader == null) {
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
                                valueReader.deserialize(record.topic(), record.value()))));
    }

    @Override
    public TypeInformation<Ingested<E>> getProducedType() {
        return type;
    }
}
