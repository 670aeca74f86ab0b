package io.counterflow.serving;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.loops.SpecLog;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/** Topics in memory, instead of Kafka. */
public final class InMemoryTopics implements RecordProducer {

    private final List<Written> records = new CopyOnWriteArrayList<>();
    private final BiConsumer<String, byte @Nullable []> onSpec;
    private volatile boolean available = true;
    private volatile Exception refusal = new IllegalStateException("not acknowledged");
    private final List<CompletableFuture<Void>> held = new CopyOnWriteArrayList<>();
    private volatile boolean holding;
    private volatile @Nullable RuntimeException defect;

    private record Written(Topic topic, String key, ByteBuffer value) {}

    /**
     * @param onSpec receives key and value of each spec, as the follower of policies would
     */
    InMemoryTopics(BiConsumer<String, byte @Nullable []> onSpec) {
        this.onSpec = onSpec;
    }

    @Override
    public CompletableFuture<Void> append(Topic topic, String key, Instant time, byte[] value) {
        if (defect != null) {
            throw defect;
        }
        if (!available) {
            return CompletableFuture.failedFuture(refusal);
        }
        CompletableFuture<Void> acknowledged = new CompletableFuture<>();
        if (holding) {
            held.add(acknowledged);
        } else {
            acknowledged.complete(null);
        }
        synchronized (records) {
            records.add(new Written(topic, key, ByteBuffer.wrap(value)));
            records.notifyAll();
        }
        if (topic == Topic.LOOPS) {
            onSpec.accept(key, value);
        }
        return acknowledged;
    }

    /** While true, records are stored but not acknowledged. */
    public void setHolding(boolean holding) {
        this.holding = holding;
    }

    /** Acknowledges all records that are stored. */
    public void acknowledge() {
        held.forEach(record -> record.complete(null));
        held.clear();
    }

    /** Fails all records that were not acknowledged in time, although they are stored. */
    public void timeOut() {
        held.forEach(record -> record.completeExceptionally(new IllegalStateException("too late")));
        held.clear();
    }

    /** Writes a change at once, because no other process writes. */
    Future<SpecLog.Entry> append(String loop, Supplier<SpecLog.Entry> change) {
        SpecLog.Entry entry;
        try {
            entry = change.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
        if (entry.deletes()) {
            if (!available) {
                return Future.failedFuture(ProblemException.notLogged("send it again"));
            }
            onSpec.accept(loop, null);
        }
        if (entry.spec().isEmpty()) {
            return Future.succeededFuture(entry);
        }
        byte[] value =
                WireCodec.of(LoopSpecRecord.class)
                        .encode(LoopSpecConversion.toRecord(entry.spec().get()));
        return Future.fromCompletionStage(append(Topic.LOOPS, loop, Instant.EPOCH, value))
                .map(entry)
                .recover(e -> Future.failedFuture(ProblemException.notLogged("send it again")));
    }

    /** While false, no record is acknowledged in time. */
    public void setAvailable(boolean available) {
        this.available = available;
    }

    /** Why records are not acknowledged while Kafka is not available. */
    public void setRefusal(Exception refusal) {
        this.refusal = refusal;
        available = false;
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

    /** The records of one type on a topic, when there are so many of them. */
    public <T extends SpecificRecordBase> List<T> await(int count, Topic topic, Class<T> type)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        synchronized (records) {
            List<T> found = records(topic, type);
            while (found.size() < count && System.nanoTime() < end) {
                records.wait(100);
                found = records(topic, type);
            }
            return found;
        }
    }

    /** The keys on a topic, in the order in which they were written. */
    public List<String> keys(Topic topic) {
        return records.stream().filter(it -> it.topic() == topic).map(Written::key).toList();
    }
}
