package io.counterflow.client.kafka;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to Kafka by an idempotent producer that waits for all replicas.
 *
 * <p>It never blocks. A record fails at once if the buffer is full or its partition is unknown, and
 * later if Kafka does not acknowledge it in time. Records of one partition keep their order.
 *
 * <p>A Kafka producer that has failed for good, for example because it was fenced, is replaced.
 */
public final class KafkaRecordProducer implements RecordProducer, AutoCloseable {

    /** Decisions of one millisecond share batches, which halves the work of producer and broker. */
    private static final String LINGER_MS = "1";

    /** For so many decisions that one batch takes those of a millisecond. */
    private static final String BATCH_BYTES = "65536";

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration MAX_START = Duration.ofMinutes(1);

    private static final Duration REPLACEMENT_PAUSE = Duration.ofSeconds(1);

    private final Supplier<Producer<byte[], byte[]>> factory;
    private final Duration replacementPause;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private final AtomicLong replacements = new AtomicLong();
    private volatile Producer<byte[], byte[]> producer;
    private volatile boolean closed;
    private final Topics topics;
    private final Duration timeout;
    private final Map<Topic, Integer> partitions = new HashMap<>();
    private final AtomicLong waiting = new AtomicLong();

    private KafkaRecordProducer(
            Supplier<Producer<byte[], byte[]>> factory,
            Topics topics,
            Duration timeout,
            Duration replacementPause) {
        this.factory = factory;
        this.producer = factory.get();
        this.replacementPause = replacementPause;
        this.topics = topics;
        this.timeout = timeout;
    }

    /** Connects, and waits until the partitions of these topics are known. */
    public static KafkaRecordProducer connect(
            KafkaConfig kafka, Topics topics, ProducerSettings settings, Collection<Topic> used) {
        Serializer<byte[]> values = kafka.values().writer(topics, used);
        return start(
                () ->
                        new KafkaProducer<>(
                                properties(kafka, settings), new ByteArraySerializer(), values),
                topics,
                settings.timeout(),
                used,
                REPLACEMENT_PAUSE);
    }

    /**
     * @param factory creates Kafka's producer, and each one that replaces it
     */
    static KafkaRecordProducer start(
            Supplier<Producer<byte[], byte[]>> factory,
            Topics topics,
            Duration timeout,
            Collection<Topic> used,
            Duration replacementPause) {
        KafkaRecordProducer log =
                new KafkaRecordProducer(factory, topics, timeout, replacementPause);
        try {
            used.forEach(
                    topic -> log.partitions.put(topic, log.awaitPartitions(log.producer, topic)));
            return log;
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private static Properties properties(KafkaConfig kafka, ProducerSettings settings) {
        long timeoutMs = settings.timeout().toMillis();
        Properties properties = kafka.producerProperties();
        properties.setProperty("max.block.ms", "0"); // callers are event loops
        properties.setProperty("linger.ms", LINGER_MS); // callers wait for each record
        properties.setProperty("batch.size", BATCH_BYTES);
        properties.setProperty("delivery.timeout.ms", Long.toString(timeoutMs));
        // So that a request whose answer is lost can be sent again in time.
        properties.setProperty("request.timeout.ms", Long.toString(timeoutMs / 2));
        properties.setProperty("buffer.memory", Long.toString(settings.bufferBytes()));
        properties.setProperty("reconnect.backoff.max.ms", "500");
        properties.setProperty(
                "metadata.max.idle.ms", "86400000"); // or the first record after a pause would fail
        return properties;
    }

    private int awaitPartitions(Producer<byte[], byte[]> from, Topic topic) {
        long end = System.nanoTime() + MAX_START.toNanos();
        while (true) {
            try {
                return from.partitionsFor(topics.name(topic)).size();
            } catch (TimeoutException e) { // because max.block.ms is 0
                if (System.nanoTime() > end) {
                    throw new KafkaException(
                            "the partitions of %s are unknown after %s"
                                    .formatted(topics.name(topic), MAX_START),
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
    public CompletableFuture<Void> append(Topic topic, String key, Instant time, byte[] value) {
        return send(topic, partition(topic, time), key, value, ignored -> {});
    }

    /**
     * Decisions of one millisecond are in one partition, so that they share a batch and a request.
     * The job distributes them by event id again.
     */
    private @Nullable Integer partition(Topic topic, Instant time) {
        Integer count = partitions.get(topic);
        return topic.isKeyedByEvent() && count != null
                ? (Integer) Math.floorMod(time.toEpochMilli(), count.intValue())
                : null; // that of the key
    }

    /**
     * Writes a record to every partition of all topics.
     *
     * @param key the key, to which a slash and the partition's number are added
     * @param stamped receives the timestamp of each acknowledged record: the broker's time, if the
     *     topic has {@code LogAppendTime}
     */
    public CompletableFuture<Void> appendToAll(String key, byte[] value, LongConsumer stamped) {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        partitions.forEach(
                (topic, count) -> {
                    for (int partition = 0; partition < count; partition++) {
                        sent.add(send(topic, partition, key + "/" + partition, value, stamped));
                    }
                });
        return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> send(
            Topic topic,
            @Nullable Integer partition,
            String key,
            byte[] value,
            LongConsumer stamped) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        waiting.incrementAndGet();
        Producer<byte[], byte[]> used = producer;
        try {
            var unused =
                    used.send(
                            new ProducerRecord<>(
                                    topics.name(topic),
                                    partition,
                                    key.getBytes(StandardCharsets.UTF_8),
                                    value),
                            (metadata, reason) -> {
                                if (reason == null) {
                                    stamped.accept(metadata.timestamp());
                                } else if (isFatal(reason)) {
                                    replace(used, reason);
                                }
                                done(result, reason);
                            });
        } catch (KafkaException | IllegalStateException e) { // closed, or failed for good
            if (!(e instanceof RetriableException)) {
                replace(used, e);
            }
            done(result, e);
        }
        return result;
    }

    /** Failures after which a producer refuses all records. */
    private static boolean isFatal(@Nullable Exception reason) {
        return reason instanceof ProducerFencedException
                || reason instanceof InvalidProducerEpochException
                || reason instanceof UnsupportedVersionException
                || reason instanceof ClusterAuthorizationException;
    }

    private void replace(Producer<byte[], byte[]> failed, Exception reason) {
        if (!closed && failed == producer && failure.compareAndSet(null, describe(reason))) {
            replaceLater();
        }
    }

    private String describe(Throwable reason) {
        return "the producer of %s has failed and is being replaced: %s"
                .formatted(topics.names(partitions.keySet()), reason.getMessage());
    }

    private void replaceLater() {
        CompletableFuture.delayedExecutor(replacementPause.toMillis(), TimeUnit.MILLISECONDS)
                .execute(this::replaceNow);
    }

    private synchronized void replaceNow() {
        if (closed) {
            return;
        }
        Producer<byte[], byte[]> next = null;
        try {
            next = factory.get();
            for (Topic topic : partitions.keySet()) {
                awaitPartitions(next, topic);
            }
        } catch (RuntimeException | Error e) { // whatever it is, it may work later
            failure.set(describe(e));
            if (next != null) {
                next.close(Duration.ZERO);
            }
            replaceLater();
            return;
        }
        Producer<byte[], byte[]> old = producer;
        producer = next;
        replacements.incrementAndGet();
        failure.set(null);
        old.close(Duration.ZERO); // its records have failed
        if (closed) { // in the meantime
            next.close(Duration.ZERO);
        }
    }

    /** Why no record can be written at the moment; empty if the producer works. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** How often a producer that had failed was replaced. */
    public long replacements() {
        return replacements.get();
    }

    private void done(CompletableFuture<Void> result, @Nullable Exception reason) {
        boolean first =
                reason == null ? result.complete(null) : result.completeExceptionally(reason);
        if (first) { // the producer may both call back and throw
            waiting.decrementAndGet();
        }
    }

    /** Records that Kafka has not acknowledged yet. */
    public long waiting() {
        return waiting.get();
    }

    /**
     * A metric of Kafka's group {@code producer-metrics}, such as {@code request-latency-avg}.
     *
     * @return not a number if there is no such metric, or it has no value yet
     */
    public double metric(String name) {
        for (Map.Entry<MetricName, ? extends Metric> metric : producer.metrics().entrySet()) {
            if (metric.getKey().name().equals(name)
                    && metric.getKey().group().equals("producer-metrics")
                    && metric.getValue().metricValue() instanceof Number value) {
                return value.doubleValue();
            }
        }
        return Double.NaN;
    }

    /** Writes pending records until their timeout. */
    @Override
    public void close() {
        closed = true;
        producer.close(timeout);
    }
}
