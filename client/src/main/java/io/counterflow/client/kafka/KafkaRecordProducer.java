package io.counterflow.client.kafka;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to Kafka by an idempotent producer that waits for all replicas.
 *
 * <p>Nothing here blocks: what has no room in the buffer, or no known partition, fails at once, and
 * what Kafka has not acknowledged in time fails then. Records of one partition keep their order.
 */
public final class KafkaRecordProducer implements RecordProducer, AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration MAX_START = Duration.ofMinutes(1);

    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;
    private final Duration timeout;
    private final Map<Topic, Integer> partitions = new HashMap<>();
    private final AtomicLong waiting = new AtomicLong();

    private KafkaRecordProducer(
            KafkaProducer<byte[], byte[]> producer, Topics topics, Duration timeout) {
        this.producer = producer;
        this.topics = topics;
        this.timeout = timeout;
    }

    /** Connects, and waits until the partitions of these topics are known. */
    public static KafkaRecordProducer connect(
            KafkaConfig kafka, Topics topics, ProducerSettings settings, Collection<Topic> used) {
        KafkaRecordProducer log =
                new KafkaRecordProducer(
                        new KafkaProducer<>(
                                properties(kafka, settings),
                                new ByteArraySerializer(),
                                new ByteArraySerializer()),
                        topics,
                        settings.timeout());
        try {
            used.forEach(log::awaitPartitions);
            return log;
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private static Properties properties(KafkaConfig kafka, ProducerSettings settings) {
        long timeoutMs = settings.timeout().toMillis();
        Properties properties = kafka.properties();
        properties.setProperty("acks", "all");
        properties.setProperty("enable.idempotence", "true");
        properties.setProperty("max.block.ms", "0"); // callers are the threads of connections
        properties.setProperty("linger.ms", "0"); // somebody waits for each record
        properties.setProperty("delivery.timeout.ms", Long.toString(timeoutMs));
        properties.setProperty("request.timeout.ms", Long.toString(timeoutMs));
        properties.setProperty("buffer.memory", Long.toString(settings.bufferBytes()));
        properties.setProperty("compression.type", "lz4");
        properties.setProperty("reconnect.backoff.max.ms", "500");
        properties.setProperty("metadata.max.idle.ms", "86400000"); // or the first one would fail
        return properties;
    }

    private void awaitPartitions(Topic topic) {
        long end = System.nanoTime() + MAX_START.toNanos();
        while (true) {
            try {
                partitions.put(topic, producer.partitionsFor(topics.name(topic)).size());
                return;
            } catch (TimeoutException e) { // it does not wait, and so we do
                if (System.nanoTime() > end) {
                    throw new KafkaException(
                            "Kafka did not say within %s where %s is"
                                    .formatted(MAX_START, topics.name(topic)),
                            e);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while waiting for Kafka", e);
        }
    }

    @Override
    public CompletableFuture<Void> append(Topic topic, String key, byte[] value) {
        return send(topic, null, key, value);
    }

    /** Writes a record to one partition. */
    public CompletableFuture<Void> append(Topic topic, int partition, String key, byte[] value) {
        return send(topic, partition, key, value);
    }

    private CompletableFuture<Void> send(
            Topic topic, @Nullable Integer partition, String key, byte[] value) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        waiting.incrementAndGet();
        try {
            var unused =
                    producer.send(
                            new ProducerRecord<>(
                                    topics.name(topic),
                                    partition,
                                    key.getBytes(StandardCharsets.UTF_8),
                                    value),
                            (metadata, failure) -> done(result, failure));
        } catch (KafkaException | IllegalStateException e) { // closed, or fenced
            done(result, e);
        }
        return result;
    }

    private void done(CompletableFuture<Void> result, @Nullable Exception failure) {
        boolean first =
                failure == null ? result.complete(null) : result.completeExceptionally(failure);
        if (first) { // the producer may call back and throw
            waiting.decrementAndGet();
        }
    }

    /** Records that Kafka has not acknowledged yet. */
    public long waiting() {
        return waiting.get();
    }

    /** How many partitions a topic that was named at the start has. */
    public int partitions(Topic topic) {
        return partitions.getOrDefault(topic, 0);
    }

    /** The topics that were named at the start. */
    public Collection<Topic> topics() {
        return partitions.keySet();
    }

    /** Writes what waits, as long as its time is not over. */
    @Override
    public void close() {
        producer.close(timeout);
    }
}
