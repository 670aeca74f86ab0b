package io.counterflow.cli.demo;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Follows one loop on the output topics of the job: reads its history from the beginning, and its
 * counts of examples, late rewards and dead letters from now on. After a failure of Kafka it
 * continues without taking a record twice.
 */
final class LoopWatch implements AutoCloseable {

    private static final long POLL_MS = 50;

    private final String loop;
    private final DemoHistory history;
    private final Topics topics;
    private final Consumer<String> failed;
    private final AtomicLong examples = new AtomicLong();
    private final Map<UnusedKindRecord, AtomicLong> unused = new EnumMap<>(UnusedKindRecord.class);
    private final Map<TopicPartition, Long> next = new HashMap<>(); // offsets; only its thread
    private final CountDownLatch historyRead = new CountDownLatch(1);
    private final WireCodec<PolicySnapshotRecord> snapshots =
            WireCodec.of(PolicySnapshotRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final WireCodec<IpsWindowRecord> windows = WireCodec.of(IpsWindowRecord.class);
    private final WireCodec<LoopCountsRecord> counts = WireCodec.of(LoopCountsRecord.class);
    private final TopicFollower follower;

    private LoopWatch(
            String loop,
            DemoHistory history,
            KafkaConfig kafka,
            Topics topics,
            Consumer<String> notes,
            Consumer<String> failed) {
        this.loop = loop;
        this.history = history;
        this.topics = topics;
        this.failed = failed;
        for (UnusedKindRecord kind : UnusedKindRecord.values()) {
            unused.put(kind, new AtomicLong());
        }
        this.follower =
                TopicFollower.start(
                        TopicFollower.Source.of("watch-loop", kafka), this::follow, notes);
    }

    /**
     * Starts to follow the topics, which must exist, and waits until the history of earlier runs
     * has been read.
     *
     * @param stopped whether to stop waiting
     * @param notes receives a message about each failure of Kafka
     * @param failed receives the reason when a record cannot be used
     */
    static LoopWatch start(
            String loop,
            DemoHistory history,
            KafkaConfig kafka,
            Topics topics,
            BooleanSupplier stopped,
            Consumer<String> notes,
            Consumer<String> failed)
            throws InterruptedException {
        LoopWatch watch = new LoopWatch(loop, history, kafka, topics, notes, failed);
        boolean done = false;
        while (!done && !stopped.getAsBoolean()) {
            done = watch.historyRead.await(POLL_MS, TimeUnit.MILLISECONDS);
        }
        return watch;
    }

    private void follow(TopicReader reader) {
        // Rollouts and windows first: they name the versions whose snapshots are needed.
        addAndRead(reader, topics.names(List.of(Topic.ROLLOUTS, Topic.IPS_STATS)));
        addAndRead(reader, topics.names(List.of(Topic.POLICY_SNAPSHOTS)));
        String counted = topics.name(Topic.LOOP_COUNTS);
        reader.endOffsets(List.of(counted)).forEach(next::putIfAbsent);
        next.forEach(
                (partition, offset) -> {
                    if (partition.topic().equals(counted)) {
                        reader.add(partition.topic(), partition.partition(), offset);
                    }
                });
        history.updateTrueValues();
        historyRead.countDown();
        while (reader.isActive()) {
            reader.poll().forEach(this::take);
            history.updateTrueValues();
        }
    }

    private void addAndRead(TopicReader reader, List<String> names) {
        reader.addFromBeginning(names);
        reader.readToEnd(names, this::take);
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        if (record.offset() < next.getOrDefault(partition, 0L)) {
            return; // taken before a failure
        }
        next.put(partition, record.offset() + 1);
        byte[] value = record.value();
        if (value == null) {
            return;
        }
        try {
            take(record.key(), value);
        } catch (UndecodableRecordException | InvalidSnapshotException e) {
            failed.accept(
                    "cannot use a record of %s: %s".formatted(record.topic(), e.getMessage()));
        }
    }

    private void take(byte[] key, byte[] value)
            throws UndecodableRecordException, InvalidSnapshotException {
        String name = new String(key, StandardCharsets.UTF_8);
        if (snapshots.accepts(value)) {
            PolicySnapshotRecord snapshot = snapshots.decode(value);
            // There is a copy without the version in its key.
            if (name.equals(loop + "@" + snapshot.getVersion())) {
                history.add(SnapshotConversion.fromRecord(snapshot));
                history.updateTrueValues(); // drops models that are not needed
            }
        } else if (name.equals(loop)) { // a user of the demo may have created others
            takeOfLoop(value);
        }
    }

    private void takeOfLoop(byte[] value) throws UndecodableRecordException {
        if (windows.accepts(value)) {
            history.add(windows.decode(value));
        } else if (rollouts.accepts(value)) {
            history.add(rollouts.decode(value));
        } else if (counts.accepts(value)) {
            add(counts.decode(value));
        }
    }

    private void add(LoopCountsRecord record) {
        examples.addAndGet(record.getExamples());
        for (UnusedCountRecord count : record.getUnused()) {
            Objects.requireNonNull(unused.get(count.getKind())).addAndGet(count.getCount());
        }
    }

    /** The number of examples since the start. */
    long examples() {
        return examples.get();
    }

    /** The number of records since the start that were not used. */
    long unused(UnusedKindRecord kind) {
        return Objects.requireNonNull(unused.get(kind)).get();
    }

    @Override
    public void close() {
        follower.close();
    }
}
