package io.counterflow.cli.demo;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Follows the output topics of the job: reads the history of the loop from the beginning, and
 * counts examples, late rewards and dead letters from now on.
 */
final class LoopWatch implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration MAX_STOP = Duration.ofSeconds(5);

    private final DemoHistory history;
    private final Topics topics;
    private final Consumer<String> failed;
    private final Map<Topic, AtomicLong> counts = new EnumMap<>(Topic.class);
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> assigned = new ArrayList<>();
    private final WireCodec<PolicySnapshotRecord> snapshots =
            WireCodec.of(PolicySnapshotRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final WireCodec<IpsWindowRecord> windows = WireCodec.of(IpsWindowRecord.class);
    private final Thread thread = new Thread(this::follow, "watch-loop");
    private volatile boolean closed;

    private LoopWatch(
            DemoHistory history, KafkaConfig kafka, Topics topics, Consumer<String> failed) {
        this.history = history;
        this.topics = topics;
        this.failed = failed;
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        this.consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        for (Topic topic : List.of(Topic.EXAMPLES, Topic.LATE, Topic.DEAD_LETTERS)) {
            counts.put(topic, new AtomicLong());
        }
    }

    /**
     * Reads the history of earlier runs and starts to follow the topics, which must exist.
     *
     * @param stopped whether to stop reading the history
     * @param failed receives the reason when the topics cannot be followed
     */
    static LoopWatch start(
            DemoHistory history,
            KafkaConfig kafka,
            Topics topics,
            BooleanSupplier stopped,
            Consumer<String> failed) {
        LoopWatch watch = new LoopWatch(history, kafka, topics, failed);
        try {
            // Rollouts and windows first: they name the versions whose snapshots are needed.
            watch.readToEnd(List.of(Topic.ROLLOUTS, Topic.IPS_STATS), stopped);
            watch.readToEnd(List.of(Topic.POLICY_SNAPSHOTS), stopped);
            List<TopicPartition> counted = watch.assign(watch.counts.keySet());
            watch.consumer.seekToEnd(counted);
            counted.forEach(watch.consumer::position); // seeks now, not at the first poll
        } catch (KafkaException e) {
            watch.consumer.close();
            throw e;
        }
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    private List<TopicPartition> assign(Iterable<Topic> more) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (Topic topic : more) {
            consumer.partitionsFor(topics.name(topic))
                    .forEach(it -> partitions.add(new TopicPartition(it.topic(), it.partition())));
        }
        assigned.addAll(partitions);
        consumer.assign(assigned);
        return partitions;
    }

    /** Compares positions, because transaction markers have offsets too. */
    private void readToEnd(List<Topic> wanted, BooleanSupplier stopped) {
        List<TopicPartition> partitions = assign(wanted);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (!stopped.getAsBoolean()
                && ends.entrySet().stream()
                        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            poll();
        }
    }

    private void poll() {
        consumer.poll(POLL).forEach(this::take);
        history.updateTrueValues();
    }

    private void follow() {
        try (consumer) {
            while (!closed) {
                poll();
            }
        } catch (KafkaException e) {
            if (!closed) {
                failed.accept("the demo cannot follow its topics: " + e.getMessage());
            }
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        for (Map.Entry<Topic, AtomicLong> count : counts.entrySet()) {
            if (record.topic().equals(topics.name(count.getKey()))) {
                count.getValue().incrementAndGet();
                return;
            }
        }
        byte[] value = record.value();
        try {
            if (value != null && windows.accepts(value)) {
                history.add(windows.decode(value));
            } else if (value != null && rollouts.accepts(value)) {
                history.add(rollouts.decode(value));
            } else if (value != null && snapshots.accepts(value)) {
                PolicySnapshotRecord snapshot = snapshots.decode(value);
                String key = new String(record.key(), StandardCharsets.UTF_8);
                if (key.endsWith("@" + snapshot.getVersion())) { // there is a copy without version
                    history.add(SnapshotConversion.fromRecord(snapshot));
                }
            }
        } catch (UndecodableRecordException | InvalidSnapshotException e) {
            failed.accept(
                    "cannot use a record of %s: %s".formatted(record.topic(), e.getMessage()));
        }
    }

    /** The number of records since the start. */
    long count(Topic topic) {
        AtomicLong count = counts.get(topic);
        return count == null ? 0 : count.get();
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
