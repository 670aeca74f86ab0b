package io.counterflow.schemas.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads committed records of topics. It assigns partitions itself and commits no offsets. Not safe
 * for use by several threads.
 */
public final class TopicReader implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final BooleanSupplier active;

    public TopicReader(KafkaConfig kafka) {
        this(kafka, Map.of(), () -> true);
    }

    /**
     * @param settings further settings of the Kafka consumer
     * @param active turns false when {@link #readToEnd} should return early
     */
    TopicReader(KafkaConfig kafka, Map<String, String> settings, BooleanSupplier active) {
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        properties.putAll(settings);
        this.consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), kafka.values().reader());
        this.active = active;
    }

    /** A reader that does not wait for open transactions. */
    public static TopicReader ofUncommitted(KafkaConfig kafka) {
        return new TopicReader(kafka, Map.of("isolation.level", "read_uncommitted"), () -> true);
    }

    /** Whether to continue reading. */
    public boolean isActive() {
        return active.getAsBoolean();
    }

    /** The end offsets of a topic, by partition. */
    public Map<Integer, Long> ends(String topic) {
        Map<Integer, Long> ends = new HashMap<>();
        consumer.endOffsets(partitions(List.of(topic)))
                .forEach((partition, offset) -> ends.put(partition.partition(), offset));
        return ends;
    }

    /** The offsets of the next records of a topic, by assigned partition. */
    public Map<Integer, Long> positions(String topic) {
        Map<Integer, Long> positions = new HashMap<>();
        for (TopicPartition partition : consumer.assignment()) {
            if (partition.topic().equals(topic)) {
                positions.put(partition.partition(), consumer.position(partition));
            }
        }
        return positions;
    }

    /** Reads a topic from its beginning to its current end. */
    public void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> records) {
        read(topic, Map.of(), records);
    }

    /**
     * Reads a topic to its current end.
     *
     * @param from start offsets by partition; other partitions are read from their beginning
     */
    public void read(
            String topic,
            Map<Integer, Long> from,
            Consumer<ConsumerRecord<byte[], byte[]>> records) {
        consumer.assign(List.of());
        addFromBeginning(List.of(topic));
        from.forEach(
                (partition, offset) -> consumer.seek(new TopicPartition(topic, partition), offset));
        readToEnd(List.of(topic), records);
    }

    /** Assigns the partitions of further topics and starts at their beginnings. */
    public void addFromBeginning(Collection<String> topics) {
        consumer.seekToBeginning(add(topics));
    }

    /**
     * Assigns the partitions of further topics and starts at the first records of a time, or at the
     * end where all records are older.
     *
     * @param maxRecords limit on the distance to the end of a partition, in offsets
     */
    public void addSince(Collection<String> topics, long timeMs, long maxRecords) {
        List<TopicPartition> added = add(topics);
        Map<TopicPartition, Long> times = new HashMap<>();
        added.forEach(partition -> times.put(partition, timeMs));
        Map<TopicPartition, Long> ends = consumer.endOffsets(added);
        consumer.offsetsForTimes(times)
                .forEach(
                        (partition, found) -> {
                            long end = ends.getOrDefault(partition, 0L);
                            long start = found == null ? end : found.offset();
                            consumer.seek(partition, Math.max(start, end - maxRecords));
                        });
    }

    /** Assigns one partition and starts at an offset. */
    public void add(String topic, int partition, long offset) {
        TopicPartition added = new TopicPartition(topic, partition);
        assign(List.of(added));
        consumer.seek(added, offset);
    }

    private List<TopicPartition> add(Collection<String> topics) {
        List<TopicPartition> added = partitions(topics);
        assign(added);
        return added;
    }

    private void assign(List<TopicPartition> added) {
        List<TopicPartition> all = new ArrayList<>(consumer.assignment());
        all.addAll(added);
        consumer.assign(all);
    }

    /** Reads all assigned partitions until these topics have been read to their current end. */
    public void readToEnd(
            Collection<String> topics, Consumer<ConsumerRecord<byte[], byte[]>> records) {
        Map<TopicPartition, Long> ends = endOffsets(topics);
        while (isActive() && !hasReached(ends)) {
            poll().forEach(records);
        }
    }

    public Map<TopicPartition, Long> endOffsets(Collection<String> topics) {
        return consumer.endOffsets(partitions(topics));
    }

    /** Compares positions and not records, because transaction markers have offsets too. */
    public boolean hasReached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    /** The offsets that the consumer's group has committed; partitions without one are left out. */
    public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        consumer.committed(new HashSet<>(partitions))
                .forEach(
                        (partition, committed) -> {
                            if (committed != null) {
                                offsets.put(partition, committed.offset());
                            }
                        });
        return offsets;
    }

    /** The next records of the assigned partitions; waits for them for a fraction of a second. */
    public ConsumerRecords<byte[], byte[]> poll() {
        return consumer.poll(POLL);
    }

    /** Waits for some time, or until the reader is no longer active. */
    public void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        try {
            while (isActive() && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private List<TopicPartition> partitions(Collection<String> topics) {
        return topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(it -> new TopicPartition(it.topic(), it.partition()))
                .toList();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
