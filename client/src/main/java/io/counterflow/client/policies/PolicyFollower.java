package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Keeps a policy store up to date with the topics of specs, rollouts and snapshots. It reads them
 * from the beginning.
 */
public final class PolicyFollower implements AutoCloseable {

    private static final Duration MAX_READ = Duration.ofSeconds(30);

    private final KafkaConfig kafka;
    private final Topics topics;
    private final PolicyStore store;
    private final Consumer<String> log;
    private final TopicFollower follower;

    private volatile boolean caughtUp;
    private Map<Integer, Long> read = Map.of(); // positions in the topic of specs

    /**
     * Starts to follow the topics.
     *
     * @param log receives a message about each failure
     */
    public PolicyFollower(
            KafkaConfig kafka, Topics topics, PolicyStore store, Consumer<String> log) {
        this.kafka = kafka;
        this.topics = topics;
        this.store = store;
        this.log = log;
        this.follower =
                TopicFollower.start(
                        TopicFollower.Source.of("follow-policies", kafka), this::follow, log);
    }

    /**
     * Whether the follower is running and has read all records that existed when it started. It
     * stays true while the follower retries after a failure.
     */
    public boolean caughtUp() {
        return caughtUp && follower.isRunning();
    }

    /** The thread that reads the topics. */
    public TopicFollower thread() {
        return follower;
    }

    private void follow(TopicReader reader) {
        store.readAgain();
        // Rollouts first, because they say which snapshots are needed.
        addAndRead(reader, List.of(Topic.LOOPS, Topic.ROLLOUTS));
        addAndRead(reader, List.of(Topic.POLICY_SNAPSHOTS));
        store.swap(version -> reload(version, reader));
        caughtUp = true;
        while (reader.isActive()) {
            ConsumerRecords<byte[], byte[]> records = reader.poll();
            if (!records.isEmpty()) {
                records.forEach(this::take);
                store.swap(version -> reload(version, reader));
            }
            setRead(reader.positions(topics.name(Topic.LOOPS)));
        }
    }

    private synchronized void setRead(Map<Integer, Long> positions) {
        read = positions;
        notifyAll();
    }

    /**
     * Waits until the store has all specs that exist now, including those of transactions that are
     * still open.
     *
     * @throws TimeoutException if it takes too long
     */
    public void awaitSpecs(Duration timeout) throws InterruptedException {
        Map<Integer, Long> ends;
        try (TopicReader reader = TopicReader.ofUncommitted(kafka)) {
            ends = reader.ends(topics.name(Topic.LOOPS));
        }
        if (!await(ends, timeout)) {
            throw new TimeoutException("the specs were not read within " + timeout);
        }
    }

    /**
     * Waits until the store has a committed record of the topic of specs; false if it takes long.
     */
    public boolean awaitSpec(int partition, long offset, Duration timeout)
            throws InterruptedException {
        return await(Map.of(partition, offset + 1), timeout);
    }

    private synchronized boolean await(Map<Integer, Long> ends, Duration timeout)
            throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (!hasRead(ends)) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (leftMs <= 0) {
                return false;
            }
            wait(leftMs);
        }
        return true;
    }

    private boolean hasRead(Map<Integer, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(end -> read.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }

    private void addAndRead(TopicReader reader, List<Topic> added) {
        List<String> names = topics.names(added);
        reader.addFromBeginning(names);
        reader.readToEnd(names, this::take);
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

    /** Reads a snapshot that is no longer in memory from its offset. */
    private Optional<PolicySnapshot> reload(KnownVersion version, TopicReader following) {
        if (version.place().isEmpty()) {
            return Optional.empty();
        }
        KnownVersion.Place place = version.place().get();
        try (TopicReader reader = new TopicReader(kafka)) {
            reader.add(topics.name(Topic.POLICY_SNAPSHOTS), place.partition(), place.offset());
            long end = System.nanoTime() + MAX_READ.toNanos();
            while (following.isActive() && System.nanoTime() < end) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll()) {
                    if (record.offset() != place.offset() || record.value() == null) {
                        return Optional.empty(); // removed by compaction
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

    @Override
    public void close() {
        follower.close();
    }
}
