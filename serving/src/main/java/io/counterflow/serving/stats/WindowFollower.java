package io.counterflow.serving.stats;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Follows the windows of estimates on a thread of its own, from a while ago. */
public final class WindowFollower implements AutoCloseable {

    private static final Duration BACK = Duration.ofHours(2);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    private final KafkaConfig kafka;
    private final String topic;
    private final WindowStore store;
    private final Clock clock;
    private final Consumer<String> log;
    private final WireCodec<IpsWindowRecord> codec = WireCodec.of(IpsWindowRecord.class);
    private final Thread thread = new Thread(this::run, "follow-windows");
    private volatile boolean closed;

    private WindowFollower(
            KafkaConfig kafka,
            Topics topics,
            WindowStore store,
            Clock clock,
            Consumer<String> log) {
        this.kafka = kafka;
        this.topic = topics.name(Topic.IPS_STATS);
        this.store = store;
        this.clock = clock;
        this.log = log;
    }

    /**
     * Begins to follow.
     *
     * @param log where failures are told in words
     */
    public static WindowFollower start(
            KafkaConfig kafka,
            Topics topics,
            WindowStore store,
            Clock clock,
            Consumer<String> log) {
        WindowFollower follower = new WindowFollower(kafka, topics, store, clock, log);
        follower.thread.setDaemon(true);
        follower.thread.start();
        return follower;
    }

    private void run() {
        boolean first = true;
        while (!closed) {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
                seek(consumer, first ? BACK : Duration.ZERO);
                first = false;
                while (!closed) {
                    consumer.poll(POLL).forEach(this::take);
                }
            } catch (RuntimeException e) { // Kafka's, or of a record
                if (!closed) {
                    log.accept("following windows failed, and starts again: " + e);
                    pause();
                }
            }
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Properties properties = kafka.properties();
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("enable.auto.commit", "false");
        return new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private void seek(KafkaConsumer<byte[], byte[]> consumer, Duration back) {
        List<TopicPartition> partitions =
                consumer.partitionsFor(topic).stream()
                        .map(it -> new TopicPartition(topic, it.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(it -> times.put(it, clock.millis() - back.toMillis()));
        for (Map.Entry<TopicPartition, OffsetAndTimestamp> found :
                consumer.offsetsForTimes(times).entrySet()) {
            if (found.getValue() != null) { // null where nothing is that new
                consumer.seek(found.getKey(), found.getValue().offset());
            }
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null || !codec.accepts(record.value())) {
            return;
        }
        try {
            store.take(codec.decode(record.value()));
        } catch (UndecodableRecordException e) {
            log.accept("a window cannot be read: " + e.getMessage());
        }
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
