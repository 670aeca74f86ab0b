package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Finds the specs and commands that came too late in the live job. */
final class LateControl {

    private final JobConfig config;
    private final Set<String> controlTopics;

    LateControl(JobConfig config) {
        this.config = config;
        this.controlTopics =
                Set.copyOf(config.topics().names(List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS)));
    }

    /** Reads the topic of late records as it is now. */
    Set<RecordPlace> read() {
        Set<RecordPlace> places = new HashSet<>();
        WireCodec<DeadLetterRecord> codec = WireCodec.of(DeadLetterRecord.class);
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(config.topics().name(Topic.LATE), record -> add(places, codec, record));
        }
        return places;
    }

    private void add(
            Set<RecordPlace> places,
            WireCodec<DeadLetterRecord> codec,
            ConsumerRecord<byte[], byte[]> record) {
        try {
            DeadLetterRecord letter = codec.decode(record.value());
            if (controlTopics.contains(letter.getTopic())) {
                places.add(
                        new RecordPlace(
                                letter.getTopic(), letter.getPartition(), letter.getOffset()));
            }
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException(
                    "%s, partition %d, offset %d: not a late record of the job"
                            .formatted(record.topic(), record.partition(), record.offset()),
                    e);
        }
    }
}
