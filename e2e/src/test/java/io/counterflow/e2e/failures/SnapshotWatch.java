package io.counterflow.e2e.failures;

import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Follows the committed snapshots of a running deployment. */
final class SnapshotWatch implements AutoCloseable {

    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);
    private final String topic;
    private final TopicReader reader;
    private final Thread thread = new Thread(this::follow, "snapshot-watch");
    private volatile Instant newest = Instant.EPOCH;
    private volatile boolean closing;

    SnapshotWatch(Deployment deployment) {
        topic = deployment.topics().name(Topic.POLICY_SNAPSHOTS);
        reader = new TopicReader(deployment.kafka());
        thread.start();
    }

    private void follow() {
        try (reader) {
            reader.addFromBeginning(List.of(topic));
            while (!closing) {
                reader.poll().forEach(this::add);
            }
        }
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null || !codec.accepts(record.value())) {
            return; // a tombstone, or poison
        }
        try {
            Instant created = codec.decode(record.value()).getCreatedAt();
            if (created.isAfter(newest)) {
                newest = created;
            }
        } catch (UndecodableRecordException e) {
            throw new AssertionError("a snapshot that does not decode", e);
        }
    }

    /** The event time at which the newest committed snapshot was frozen. */
    Instant newest() {
        return newest;
    }

    @Override
    public void close() throws IOException {
        closing = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a thread ends");
        }
    }
}
