package io.counterflow.serving;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/** Topics in memory, instead of Kafka. */
public final class InMemoryTopics implements RecordProducer {

    private final List<Written> records = new CopyOnWriteArrayList<>();
    private final BiConsumer<String, byte[]> onSpec;
    private volatile boolean available = true;
    private volatile @Nullable RuntimeException defect;

    private record Written(Topic topic, String key, ByteBuffer value) {}

    /**
     * @param onSpec receives key and value of each spec, as the follower of policies would
     */
    InMemoryTopics(BiConsumer<String, byte[]> onSpec) {
        this.onSpec = onSpec;
    }

    @Override
    public CompletableFuture<Void> append(Topic topic, String key, byte[] value) {
        if (defect != null) {
            throw defect;
        }
        if (!available) {
            return CompletableFuture.failedFuture(new IllegalStateException("not acknowledged"));
        }
        records.add(new Written(topic, key, ByteBuffer.wrap(value)));
        if (topic == Topic.LOOPS) {
            onSpec.accept(key, value);
        }
        return CompletableFuture.completedFuture(null);
    }

    /** While false, no record is acknowledged in time. */
    public void setAvailable(boolean available) {
        this.available = available;
    }

    /** Makes writing fail like a programming error; null repairs it. */
    public void setDefect(@Nullable RuntimeException defect) {
        this.defect = defect;
    }

    /** The records of one type on a topic, in the order in which they were written. */
    public <T extends SpecificRecordBase> List<T> records(Topic topic, Class<T> type) {
        WireCodec<T> codec = WireCodec.of(type);
        List<T> found = new ArrayList<>();
        for (Written record : records) {
            if (record.topic() == topic && codec.accepts(record.value().array())) {
                try {
                    found.add(codec.decode(record.value().array()));
                } catch (UndecodableRecordException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return found;
    }

    /** The keys on a topic, in the order in which they were written. */
    public List<String> keys(Topic topic) {
        return records.stream().filter(it -> it.topic() == topic).map(Written::key).toList();
    }
}
