package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.ArrayList;
import java.util.List;
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
        long checkpoint = restored.values().stream().max(Long::compare).orElse(0L);
        List<Integer> lost = new ArrayList<>();
        List<Integer> newer = new ArrayList<>();
        restored.forEach(
                (subtask, number) -> {
                    int order = Long.compare(committed.getOrDefault(subtask, 0L), number);
                    if (order < 0) {
                        lost.add(subtask);
                    } else if (order > 0) {
                        newer.add(subtask);
                    }
                });
        if (lost.size() == restored.size()) {
            throw stop(
                    "the results of checkpoint %d were lost: Kafka has aborted their transactions. Start again from the checkpoint before it, with --from-savepoint; then nothing is lost. Raise sink.transaction-timeout, so that it outlasts the longest outage"
                            .formatted(checkpoint));
        }
        if (!lost.isEmpty()) {
            throw stop(
                    "the results of checkpoint %d were lost in part: Kafka has aborted the transactions of subtasks %s and committed the others, so no checkpoint fits the journal. Start over with another kafka.topic-prefix, with the last snapshot of each loop as its startingPolicy. Raise sink.transaction-timeout, so that it outlasts the longest outage"
                            .formatted(checkpoint, lost));
        }
        if (!newer.isEmpty()) {
            throw stop(
                    "the state of checkpoint %d is older than the results in the journal. Start from the newest checkpoint or savepoint; to start over, set another kafka.topic-prefix"
                            .formatted(checkpoint));
        }
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
