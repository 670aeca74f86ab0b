package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads from Kafka which checkpoints of a job are committed. A violation stops the job without
 * restarts, because only a person can decide what to do.
 */
public final class CommittedCheckpoints implements CheckpointGuard {

    private static final long serialVersionUID = 1L;

    private final KafkaConfig kafka;
    private final String topic;
    private final String deployment;

    /**
     * @param topic the topic of checkpoint markers
     * @param deployment name of the job
     */
    public CommittedCheckpoints(KafkaConfig kafka, String topic, String deployment) {
        this.kafka = kafka;
        this.topic = topic;
        this.deployment = deployment;
    }

    @Override
    public void requireCommitted(Map<Integer, Long> restored) {
        Map<Integer, Long> committed = read();
        restored.forEach(
                (subtask, checkpoint) -> {
                    long marker = committed.getOrDefault(subtask, 0L);
                    if (marker < checkpoint) {
                        throw stop(
                                "the results of checkpoint %d were lost: Kafka has aborted their transaction (committed: %d). Start again from the checkpoint before it, with --from-savepoint; then nothing is lost. Raise sink.transaction-timeout, so that it outlasts the longest outage"
                                        .formatted(checkpoint, marker));
                    }
                    if (marker > checkpoint) {
                        throw stop(
                                "the state of checkpoint %d is older than the results of checkpoint %d, which are in the journal. Start from the newest checkpoint or savepoint; to start over, set another kafka.topic-prefix"
                                        .formatted(checkpoint, marker));
                    }
                });
    }

    @Override
    public void requireNothingCommitted() {
        Map<Integer, Long> committed = read();
        if (!committed.isEmpty()) {
            throw stop(
                    "it starts without a stored state, but has written results until checkpoint %d. Start from a checkpoint or savepoint, with --from-savepoint; is storage.directory the same as before? To start over, set another kafka.topic-prefix"
                            .formatted(committed.values().stream().max(Long::compare).orElse(0L)));
        }
    }

    private SuppressRestartsException stop(String reason) {
        return new SuppressRestartsException(
                new IllegalStateException("job %s stops: %s".formatted(deployment, reason)));
    }

    /** The newest committed checkpoint of each subtask. */
    private Map<Integer, Long> read() {
        WireCodec<CheckpointMarkerRecord> codec = WireCodec.of(CheckpointMarkerRecord.class);
        Map<Integer, Long> committed = new TreeMap<>();
        try (TopicReader reader = new TopicReader(kafka)) {
            reader.read(topic, record -> add(record, codec, committed));
        }
        return committed;
    }

    private void add(
            ConsumerRecord<byte[], byte[]> record,
            WireCodec<CheckpointMarkerRecord> codec,
            Map<Integer, Long> committed) {
        try {
            CheckpointMarkerRecord marker = codec.decode(record.value());
            if (marker.getDeployment().equals(deployment)) {
                committed.put(marker.getSubtask(), marker.getCheckpoint());
            }
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException(
                    "%s, partition %d, offset %d is not a checkpoint marker"
                            .formatted(record.topic(), record.partition(), record.offset()),
                    e);
        }
    }
}
