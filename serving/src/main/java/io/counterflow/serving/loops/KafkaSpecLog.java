package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyFollower;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.http.ProblemException;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes each spec in a transaction whose id belongs to the loop. Kafka allows one producer per id:
 * a newer one ends the transaction of an older one, which can then no longer commit. A producer
 * that has read the topic to its end therefore either writes the next spec of the loop or none.
 */
public final class KafkaSpecLog implements SpecLog {

    private static final Duration MAX_READ_BACK = Duration.ofSeconds(10);

    private final KafkaConfig kafka;
    private final Topics topics;
    private final Duration timeout;
    private final PolicyFollower policies;
    private final WorkerExecutor worker;
    private final Serializer<byte[]> values;

    /**
     * @param timeout how long Kafka may take for each step
     * @param policies reads specs into the store that changes are based on
     */
    public KafkaSpecLog(
            Vertx vertx,
            KafkaConfig kafka,
            Topics topics,
            Duration timeout,
            PolicyFollower policies) {
        this.kafka = kafka;
        this.topics = topics;
        this.timeout = timeout;
        this.policies = policies;
        this.values = kafka.values().writer(topics, List.of(Topic.LOOPS));
        this.worker = vertx.createSharedWorkerExecutor("specs", 1); // one change after another
    }

    /** What the transactional ids of all loops start with; serving's Kafka user may use them. */
    public static String transactionalIdPrefix(Topics topics) {
        return topics.prefix() + "/specs/";
    }

    @Override
    public io.vertx.core.Future<Entry> append(String loop, Supplier<Entry> change) {
        return worker.executeBlocking(() -> write(loop, change));
    }

    private Entry write(String loop, Supplier<Entry> change) throws InterruptedException {
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(properties(loop), new ByteArraySerializer(), values)) {
            producer.initTransactions(); // completes or aborts the change of another process
            policies.awaitSpecs(timeout);
            Entry entry = change.get();
            if (entry.spec().isPresent() || entry.deletes()) {
                producer.beginTransaction();
                Future<RecordMetadata> sent = producer.send(record(loop, entry.spec()));
                producer.commitTransaction();
                awaitReadBack(sent.get());
            }
            return entry;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a record of a committed transaction has failed", e);
        } catch (KafkaException e) {
            throw isFenced(e)
                    ? new ProblemException(
                            409,
                            "changed-meanwhile",
                            "the loop is being changed by another request; read it and send your"
                                    + " change again")
                    : ProblemException.notLogged("the change was not stored in time; send it again")
                            .because(e);
        }
    }

    private void awaitReadBack(RecordMetadata stored) throws InterruptedException {
        if (!policies.awaitSpec(stored.partition(), stored.offset(), MAX_READ_BACK)) {
            throw new ProblemException(
                    503,
                    "not-read-back",
                    "the change is stored, but was not read back in time; check whether it is in"
                            + " force before you send it again");
        }
    }

    /** A record without a value deletes the loop. */
    private ProducerRecord<byte[], byte[]> record(String loop, Optional<LoopSpec> spec) {
        return new ProducerRecord<>(
                topics.name(Topic.LOOPS),
                loop.getBytes(StandardCharsets.UTF_8),
                spec.map(LoopSpecConversion::toRecord)
                        .map(it -> WireCodec.of(LoopSpecRecord.class).encode(it))
                        .orElse(null));
    }

    private Properties properties(String loop) {
        String timeoutMs = Long.toString(timeout.toMillis());
        Properties properties = kafka.producerProperties();
        properties.setProperty("transactional.id", transactionalIdPrefix(topics) + loop);
        properties.setProperty("transaction.timeout.ms", timeoutMs);
        properties.setProperty("max.block.ms", timeoutMs);
        properties.setProperty("delivery.timeout.ms", timeoutMs);
        properties.setProperty("request.timeout.ms", timeoutMs);
        properties.setProperty("linger.ms", "0");
        return properties;
    }

    private static boolean isFenced(@Nullable Throwable failure) {
        return failure != null
                && (failure instanceof ProducerFencedException
                        || failure instanceof InvalidProducerEpochException
                        || isFenced(failure.getCause()));
    }
}
