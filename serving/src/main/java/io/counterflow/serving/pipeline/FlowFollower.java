package io.counterflow.serving.pipeline;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.RecentCount;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Counts what the job writes, by loop, on a thread of its own. It reads while somebody looks and
 * not otherwise, and begins a few minutes back, at most some records: what it costs is bounded.
 */
final class FlowFollower implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(250);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofMillis(500);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    /** Most offsets of one partition that are read again when somebody begins to look. */
    private static final long FURTHEST_BACK = 50_000;

    private final KafkaConfig kafka;
    private final Map<String, Topic> topics = new HashMap<>();
    private final LoopFlows flows;
    private final Predicate<String> isLoop;
    private final Clock clock;
    private final Consumer<String> log;
    private final LetterReader letters = new LetterReader();
    private final Thread thread = new Thread(this::run, "follow-flows");
    private volatile boolean closed;

    private FlowFollower(
            KafkaConfig kafka,
            Topics names,
            LoopFlows flows,
            Predicate<String> isLoop,
            Clock clock,
            Consumer<String> log) {
        this.kafka = kafka;
        for (Topic topic :
                List.of(Topic.EXAMPLES, Topic.LATE, Topic.DEAD_LETTERS, Topic.POLICY_SNAPSHOTS)) {
            topics.put(names.name(topic), topic);
        }
        this.flows = flows;
        this.isLoop = isLoop;
        this.clock = clock;
        this.log = log;
    }

    /**
     * Begins to follow.
     *
     * @param isLoop whether a loop of this name exists; others are not counted
     * @param log where failures are told in words
     */
    static FlowFollower start(
            KafkaConfig kafka,
            Topics names,
            LoopFlows flows,
            Predicate<String> isLoop,
            Clock clock,
            Consumer<String> log) {
        FlowFollower follower = new FlowFollower(kafka, names, flows, isLoop, clock, log);
        follower.thread.setDaemon(true);
        follower.thread.start();
        return follower;
    }

    private void run() {
        while (!closed) {
            if (!flows.isLookedAt()) {
                sleep(IDLE);
                continue;
            }
            try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
                Map<TopicPartition, Long> ends = seek(consumer);
                JobFlows counted = flows.job();
                while (!closed && flows.isLookedAt()) {
                    take(consumer.poll(POLL), counted);
                    if (!counted.isUpToDate() && isPast(ends, consumer)) {
                        counted.caughtUp();
                    }
                }
            } catch (RuntimeException e) { // Kafka's, or of a record
                if (!closed) {
                    log.accept("counting what the job writes failed, and starts again: " + e);
                    sleep(PAUSE);
                }
            } finally {
                flows.forgetJob();
            }
        }
    }

    /** By position, because the markers of transactions have offsets too. */
    private static boolean isPast(
            Map<TopicPartition, Long> ends, KafkaConsumer<byte[], byte[]> consumer) {
        return ends.entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        properties.setProperty("max.poll.records", "2000");
        properties.setProperty("default.api.timeout.ms", "5000"); // nobody waits for it to end
        return new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Goes a few minutes back; where the partitions end now. */
    private Map<TopicPartition, Long> seek(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics.keySet()) {
            consumer.partitionsFor(topic)
                    .forEach(it -> partitions.add(new TopicPartition(topic, it.partition())));
        }
        consumer.assign(partitions);
        long fromMs = clock.millis() - RecentCount.SPAN.toMillis();
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(it -> times.put(it, fromMs));
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        consumer.offsetsForTimes(times)
                .forEach(
                        (partition, found) -> {
                            long end = ends.getOrDefault(partition, 0L);
                            // null where nothing is that new
                            long from = found == null ? end : found.offset();
                            consumer.seek(partition, Math.max(from, end - FURTHEST_BACK));
                        });
        return ends;
    }

    /** By time, so that a snapshot comes after the examples that it was learned from. */
    private void take(Iterable<ConsumerRecord<byte[], byte[]>> polled, JobFlows counted) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        polled.forEach(records::add);
        records.sort(Comparator.comparingLong(ConsumerRecord::timestamp));
        records.forEach(record -> take(record, counted));
    }

    private void take(ConsumerRecord<byte[], byte[]> record, JobFlows counted) {
        Topic topic = topics.get(record.topic());
        if (topic == null || record.value() == null) {
            return;
        }
        switch (topic) {
            case LATE -> letter(Flow.LATE, record, counted);
            case DEAD_LETTERS -> letter(Flow.DEAD_LETTERS, record, counted);
            default -> {
                String key =
                        record.key() == null
                                ? ""
                                : new String(record.key(), StandardCharsets.UTF_8);
                if (isLoop.test(key)) { // a snapshot comes under loop@version as well
                    if (topic == Topic.EXAMPLES) {
                        counted.example(key, record.timestamp());
                    } else {
                        counted.snapshot(key);
                    }
                }
            }
        }
    }

    private void letter(Flow flow, ConsumerRecord<byte[], byte[]> record, JobFlows counted) {
        letters.read(record.value())
                .ifPresent(
                        letter ->
                                counted.letter(
                                        flow,
                                        letter.loop().filter(isLoop),
                                        record.timestamp(),
                                        letter.words()));
    }

    private void sleep(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
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
