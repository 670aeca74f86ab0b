package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Follows specs, rollouts and snapshots on a thread of its own: from the beginning to what is the
 * end when it starts, and on from there. Only committed records count.
 */
public final class TopicFollower implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration MAX_READ = Duration.ofSeconds(30);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    private final KafkaConfig kafka;
    private final Topics topics;
    private final PolicyStore store;
    private final Consumer<String> log;
    private final Thread thread = new Thread(this::run, "follow-policies");

    private volatile boolean caughtUp;
    private volatile boolean closed;

    private TopicFollower(
            KafkaConfig kafka, Topics topics, PolicyStore store, Consumer<String> log) {
        this.kafka = kafka;
        this.topics = topics;
        this.store = store;
        this.log = log;
    }

    /**
     * Begins to follow.
     *
     * @param log where failures are told in words
     */
    public static TopicFollower start(
            KafkaConfig kafka, Topics topics, PolicyStore store, Consumer<String> log) {
        TopicFollower follower = new TopicFollower(kafka, topics, store, log);
        follower.thread.setDaemon(true);
        follower.thread.start();
        return follower;
    }

    /** Whether all that was there at the start has been taken in, and news would be. */
    public boolean caughtUp() {
        return caughtUp && thread.isAlive();
    }

    private void run() {
        while (!closed) {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
                follow(consumer);
            } catch (RuntimeException e) { // Kafka's, or of a record; what is served stays
                if (!closed) {
                    log.accept("following the topics failed, and starts again: " + e);
                    pause();
                }
            }
        }
    }

    private void follow(KafkaConsumer<byte[], byte[]> consumer) {
        // Rollouts first: they say which of the snapshots will be needed.
        List<TopicPartition> control = partitions(consumer, List.of(Topic.LOOPS, Topic.ROLLOUTS));
        consumer.assign(control);
        consumer.seekToBeginning(control);
        takeToEnd(consumer, control);
        List<TopicPartition> snapshots = partitions(consumer, List.of(Topic.POLICY_SNAPSHOTS));
        List<TopicPartition> all = new ArrayList<>(control);
        all.addAll(snapshots);
        consumer.assign(all);
        consumer.seekToBeginning(snapshots);
        takeToEnd(consumer, snapshots);
        store.swap(this::read);
        caughtUp = true;
        while (!closed) {
            if (poll(consumer)) {
                store.swap(this::read);
            }
        }
    }

    /** By position, because the markers of transactions have offsets too. */
    private void takeToEnd(
            KafkaConsumer<byte[], byte[]> consumer, Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (!closed
                && ends.entrySet().stream()
                        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            poll(consumer);
        }
    }

    private boolean poll(KafkaConsumer<byte[], byte[]> consumer) {
        var records = consumer.poll(POLL);
        records.forEach(this::take);
        return !records.isEmpty();
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        if (record.topic().equals(topics.name(Topic.LOOPS))) {
            store.takeSpec(key, record.value());
        } else if (record.topic().equals(topics.name(Topic.ROLLOUTS))) {
            store.takeRollout(key, record.value());
        } else {
            store.takeSnapshot(
                    key,
                    record.value(),
                    new KnownVersion.Place(record.partition(), record.offset()));
        }
    }

    /** The weights of a version that was let go, from where it lies. */
    private Optional<PolicySnapshot> read(KnownVersion version) {
        if (version.place().isEmpty()) {
            return Optional.empty();
        }
        KnownVersion.Place place = version.place().get();
        TopicPartition partition =
                new TopicPartition(topics.name(Topic.POLICY_SNAPSHOTS), place.partition());
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, place.offset());
            long end = System.nanoTime() + MAX_READ.toNanos();
            while (!closed && System.nanoTime() < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.offset() != place.offset() || record.value() == null) {
                        return Optional.empty(); // another one took its place
                    }
                    return Optional.of(store.reload(record.value(), version));
                }
            }
        } catch (IOException | KafkaException | IllegalArgumentException e) {
            log.accept(
                    "version %d cannot be read again: %s"
                            .formatted(version.version(), e.getMessage()));
        }
        return Optional.empty();
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        return new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private List<TopicPartition> partitions(
            KafkaConsumer<byte[], byte[]> consumer, List<Topic> wanted) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (Topic topic : wanted) {
            consumer.partitionsFor(topics.name(topic))
                    .forEach(it -> partitions.add(new TopicPartition(it.topic(), it.partition())));
        }
        return partitions;
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(MAX_STOP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
