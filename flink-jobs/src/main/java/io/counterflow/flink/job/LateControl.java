package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.topics.Topic;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Finds the specs and commands that the live job could not apply any more. */
final class LateControl {

    private static final Duration POLL = Duration.ofMillis(500);

    private final JobConfig config;
    private final Set<String> controlTopics;

    LateControl(JobConfig config) {
        this.config = config;
        this.controlTopics =
                Set.copyOf(config.topics().names(List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS)));
    }

    /** Reads the topic of late records as it is now. */
    Set<RecordPlace> read() {
        Properties properties = config.kafka().properties();
        properties.setProperty("isolation.level", "read_committed");
        Set<RecordPlace> places = new HashSet<>();
        try (var consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            String topic = config.topics().name(Topic.LATE);
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(it -> new TopicPartition(topic, it.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            WireCodec<DeadLetterRecord> codec = WireCodec.of(DeadLetterRecord.class);
            // By position, because the markers of transactions have offsets too.
            while (partitions.stream().anyMatch(it -> consumer.position(it) < ends.get(it))) {
                consumer.poll(POLL).forEach(record -> add(places, codec, record));
            }
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
                    "%s, partition %d, offset %d: no late record of ours"
                            .formatted(record.topic(), record.partition(), record.offset()),
                    e);
        }
    }
}
