package io.counterflow.cli.backup;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of a topic. Of topics that the job reads, each gets its old offset, because
 * the state of the job has offsets of them. The gaps between the records were markers of
 * transactions, or records that have expired or were compacted. They become gaps again: one offset
 * is the marker of a transaction that has the record before it, more are an aborted transaction.
 */
final class RestoredTopic implements AutoCloseable {

    /** Limit on the records of a transaction that fills a gap. */
    private static final long MAX_FILL = 500_000;

    private static final byte[] FILLER = "filler".getBytes(StandardCharsets.UTF_8);
    private static final int MAX_ATTEMPTS = 6_000;
    private static final long PAUSE_MS = 5;

    private final String name;
    private final boolean withOffsets;
    private final Admin admin;
    private final Properties properties;
    private final KafkaProducer<byte[], byte[]> producer;
    private @Nullable KafkaProducer<byte[], byte[]> transactions;
    private final String transactionalId;
    private final List<Long> ends;

    /** The last record of each partition, which is written when the next one is known. */
    private final @Nullable TopicRecord[] held;

    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /**
     * @param ends the end of each partition in the backup
     */
    RestoredTopic(JobConfig job, Topic topic, List<Long> ends, Admin admin) {
        this.name = job.topics().name(topic);
        this.withOffsets =
                switch (topic) {
                    case IMPRESSIONS, REWARDS, LOOPS, ROLLOUT_COMMANDS -> true;
                    case JOURNAL,
                            POLICY_SNAPSHOTS,
                            ROLLOUTS,
                            IPS_STATS,
                            LOOP_COUNTS,
                            CHECKPOINTS,
                            LATE,
                            DEAD_LETTERS ->
                            false;
                };
        this.admin = admin;
        this.ends = ends;
        this.held = new TopicRecord[ends.size()];
        this.properties = job.kafka().producerProperties();
        properties.setProperty(
                "max.request.size", Integer.toString(job.topicSettings().maxMessageBytes()));
        this.producer = producer(properties);
        this.transactionalId = job.topics().prefix() + "/restore";
    }

    private static KafkaProducer<byte[], byte[]> producer(Properties properties) {
        return new KafkaProducer<>(
                properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void write(TopicRecord record) {
        if (!withOffsets) {
            send(record, false);
            return;
        }
        int partition = record.partition();
        advance(partition, record.offset());
        held[partition] = record;
    }

    /** Writes what is left, up to the ends of the partitions. */
    void finish() {
        for (int partition = 0; withOffsets && partition < held.length; partition++) {
            advance(partition, ends.get(partition));
        }
        producer.flush();
        throwFailure();
    }

    /** Writes the last record of a partition and the gap after it, up to an offset. */
    private void advance(int partition, long to) {
        TopicRecord last = held[partition];
        held[partition] = null;
        if (last == null) {
            begin(partition, to);
            return;
        }
        long gap = to - last.offset() - 1;
        if (gap == 1) {
            commit(last);
        } else {
            send(last, true);
            fill(partition, last.offset() + 1, gap);
        }
    }

    /** The first record of a partition often has an offset above 0. */
    private void begin(int partition, long first) {
        if (first == 1) {
            send(filler(partition), true);
            producer.flush();
        } else {
            fill(partition, 0, first);
        }
        if (first > 0) {
            TopicPartition at = new TopicPartition(name, partition);
            Await.of(admin.deleteRecords(Map.of(at, RecordsToDelete.beforeOffset(first))).all());
        }
    }

    private static TopicRecord filler(int partition) {
        return new TopicRecord(partition, 0, 0, FILLER, List.of(), null);
    }

    private void send(TopicRecord record, boolean atItsOffset) {
        throwFailure();
        var unused =
                producer.send(
                        record.toProducerRecord(name),
                        (metadata, reason) -> {
                            if (reason != null) {
                                failure.compareAndSet(null, reason);
                            } else if (atItsOffset && metadata.offset() != record.offset()) {
                                failure.compareAndSet(
                                        null,
                                        misplaced(
                                                record.partition(),
                                                record.offset(),
                                                metadata.offset()));
                            }
                        });
    }

    private IllegalStateException misplaced(int partition, long expected, long offset) {
        return new IllegalStateException(
                "the next record of %s-%d must have the offset %d, got %d; does another program write to the topic?"
                        .formatted(name, partition, expected, offset));
    }

    private void commit(TopicRecord record) {
        producer.flush();
        throwFailure();
        KafkaProducer<byte[], byte[]> transactional = transactions();
        transactional.beginTransaction();
        var sent = transactional.send(record.toProducerRecord(name));
        transactional.commitTransaction();
        long offset = Await.of(sent).offset();
        if (offset != record.offset()) {
            throw misplaced(record.partition(), record.offset(), offset);
        }
        awaitEnd(record.partition(), record.offset() + 2);
    }

    /** Aborted records and their marker take a gap of two offsets or more. */
    private void fill(int partition, long from, long gap) {
        if (gap == 0) {
            return;
        }
        producer.flush();
        throwFailure();
        KafkaProducer<byte[], byte[]> transactional = transactions();
        long next = from;
        long left = gap;
        while (left > 0) {
            long part = left > MAX_FILL + 1 ? MAX_FILL : left; // which leaves two or more, or none
            transactional.beginTransaction();
            for (long i = 1; i < part; i++) {
                var unused = // an offset that is not reached fails below
                        transactional.send(filler(partition).toProducerRecord(name));
            }
            transactional.flush();
            transactional.abortTransaction();
            next += part;
            left -= part;
            awaitEnd(partition, next);
        }
    }

    private KafkaProducer<byte[], byte[]> transactions() {
        if (transactions == null) {
            Properties more = new Properties();
            more.putAll(properties);
            more.setProperty("transactional.id", transactionalId);
            transactions = producer(more);
            transactions.initTransactions();
        }
        return transactions;
    }

    /** The marker of a transaction is written after its end has been acknowledged. */
    private void awaitEnd(int partition, long end) {
        TopicPartition at = new TopicPartition(name, partition);
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            long now =
                    Await.of(admin.listOffsets(Map.of(at, OffsetSpec.latest())).partitionResult(at))
                            .offset();
            if (now == end) {
                return;
            }
            if (now > end) {
                throw misplaced(partition, end, now);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new KafkaException("interrupted while waiting for Kafka", e);
            }
        }
        throw new KafkaException(
                "Kafka has not ended a transaction of %s at offset %d".formatted(at, end));
    }

    private void throwFailure() {
        Exception reason = failure.get();
        if (reason != null) {
            throw reason instanceof RuntimeException e ? e : new KafkaException(reason);
        }
    }

    @Override
    public void close() {
        producer.close();
        if (transactions != null) {
            transactions.close();
        }
    }
}
