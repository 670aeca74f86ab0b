package io.counterflow.schemas.topics;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads committed records of a topic, from some place to what is its end now. */
public final class TopicReader implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;

    public TopicReader(KafkaConfig kafka) {
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Where a topic ends now, by partition. */
    public Map<Integer, Long> ends(String topic) {
        Map<Integer, Long> ends = new HashMap<>();
        consumer.endOffsets(partitions(topic))
                .forEach((partition, offset) -> ends.put(partition.partition(), offset));
        return ends;
    }

    /** Reads a topic from its beginning. */
    public void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> records) {
        read(topic, Map.of(), records);
    }

    /**
     * Reads a topic.
     *
     * @param from offsets by partition; a partition that is not named is read from its beginning
     */
    public void read(
            String topic,
            Map<Integer, Long> from,
            Consumer<ConsumerRecord<byte[], byte[]>> records) {
        List<TopicPartition> partitions = partitions(topic);
        Map<Integer, Long> ends = ends(topic);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        for (TopicPartition partition : partitions) {
            Long start = from.get(partition.partition());
            if (start != null) {
                consumer.seek(partition, start);
            }
        }
        // By position, because the markers of transactions have offsets too.
        while (partitions.stream()
                .anyMatch(it -> consumer.position(it) < ends.getOrDefault(it.partition(), 0L))) {
            consumer.poll(POLL).forEach(records);
        }
    }

    private List<TopicPartition> partitions(String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(it -> new TopicPartition(topic, it.partition()))
                .toList();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
