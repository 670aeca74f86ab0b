package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.World;
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
import java.util.HashMap;
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
 * Follows what the job writes: the loop's history from its beginning, and counts from now on. What
 * is history when it starts has been read when it has started.
 */
final class LoopWatch implements AutoCloseable {

    /** They say which versions decided, and so which snapshots matter. */
    private static final List<Topic> DECISIONS = List.of(Topic.ROLLOUTS, Topic.IPS_STATS);

    private static final List<Topic> COUNTED =
            List.of(Topic.EXAMPLES, Topic.LATE, Topic.DEAD_LETTERS);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration MAX_HISTORY = Duration.ofMinutes(2);
    private static final Duration MAX_STOP = Duration.ofSeconds(5);

    private final DemoHistory history;
    private final DecidedValues values;
    private final Consumer<String> log;
    private final Map<String, Topic> topics = new HashMap<>();
    private final Map<Topic, AtomicLong> counts = new EnumMap<>(Topic.class);
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final WireCodec<PolicySnapshotRecord> snapshots =
            WireCodec.of(PolicySnapshotRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final WireCodec<IpsWindowRecord> windows = WireCodec.of(IpsWindowRecord.class);
    private final Thread thread = new Thread(this::follow, "watch-loop");
    private volatile boolean closed;

    private LoopWatch(
            World world,
            DemoHistory history,
            KafkaConfig kafka,
            Topics names,
            Consumer<String> log) {
        this.history = history;
        this.values = new DecidedValues(world, history);
        this.log = log;
        DECISIONS.forEach(topic -> topics.put(names.name(topic), topic));
        topics.put(names.name(Topic.POLICY_SNAPSHOTS), Topic.POLICY_SNAPSHOTS);
        for (Topic topic : COUNTED) {
            topics.put(names.name(topic), topic);
            counts.put(topic, new AtomicLong());
        }
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        this.consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /**
     * Reads what is there, and begins to follow; the topics must be there.
     *
     * @param stopped whether somebody wishes to stop before all is read
     * @param log where failures are told in words
     */
    static LoopWatch start(
            World world,
            DemoHistory history,
            KafkaConfig kafka,
            Topics names,
            BooleanSupplier stopped,
            Consumer<String> log) {
        LoopWatch watch = new LoopWatch(world, history, kafka, names, log);
        try {
            watch.readHistory(stopped);
        } catch (KafkaException | IllegalStateException e) {
            watch.consumer.close();
            throw e;
        }
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    private void readHistory(BooleanSupplier stopped) {
        List<TopicPartition> decisions = partitions(DECISIONS);
        List<TopicPartition> snapshots = partitions(List.of(Topic.POLICY_SNAPSHOTS));
        List<TopicPartition> counted = partitions(COUNTED);
        consumer.assign(decisions);
        consumer.seekToBeginning(decisions);
        readToEnd(decisions, stopped);
        List<TopicPartition> all = new ArrayList<>(decisions);
        all.addAll(snapshots);
        all.addAll(counted);
        consumer.assign(all);
        consumer.seekToBeginning(snapshots);
        consumer.seekToEnd(counted);
        counted.forEach(consumer::position); // else the end would be found at the first poll
        readToEnd(snapshots, stopped);
    }

    private List<TopicPartition> partitions(List<Topic> wanted) {
        return topics.entrySet().stream()
                .filter(it -> wanted.contains(it.getValue()))
                .flatMap(it -> consumer.partitionsFor(it.getKey()).stream())
                .map(it -> new TopicPartition(it.topic(), it.partition()))
                .toList();
    }

    /** By position, because the markers of transactions have offsets too. */
    private void readToEnd(List<TopicPartition> partitions, BooleanSupplier stopped) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        long startNs = System.nanoTime();
        while (!stopped.getAsBoolean()
                && ends.entrySet().stream()
                        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            if (System.nanoTime() - startNs > MAX_HISTORY.toNanos()) {
                throw new IllegalStateException(
                        "what was learned before was not read within " + MAX_HISTORY);
            }
            poll();
        }
    }

    private void poll() {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
            take(record);
        }
        values.settle();
    }

    private void follow() {
        try (consumer) {
            while (!closed) {
                poll();
            }
        } catch (KafkaException e) {
            if (!closed) {
                log.accept("the demo cannot follow its topics any more: " + e.getMessage());
            }
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Topic topic = topics.get(record.topic());
        AtomicLong count = topic == null ? null : counts.get(topic);
        if (count != null) {
            count.incrementAndGet();
            return;
        }
        byte[] value = record.value();
        if (value == null) {
            return;
        }
        try {
            if (windows.accepts(value)) {
                history.window(windows.decode(value));
            } else if (rollouts.accepts(value)) {
                history.rollout(rollouts.decode(value));
            } else if (snapshots.accepts(value)) {
                take(snapshots.decode(value), new String(record.key(), StandardCharsets.UTF_8));
            }
        } catch (UndecodableRecordException | InvalidSnapshotException e) {
            log.accept(
                    "a record of %s cannot be used: %s".formatted(record.topic(), e.getMessage()));
        }
    }

    /** Each snapshot comes twice, under the loop's name and under its own. */
    private void take(PolicySnapshotRecord record, String key) throws InvalidSnapshotException {
        if (!key.endsWith("@" + record.getVersion())) {
            return;
        }
        values.frozen(SnapshotConversion.fromRecord(record));
    }

    /** Records that came since the start. */
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
