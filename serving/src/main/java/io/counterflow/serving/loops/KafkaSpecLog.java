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
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes each spec in a transaction whose id belongs to the loop. Kafka allows one producer per id:
 * a newer one ends the transaction of an older one, which can then no longer commit. A producer
 * that has read the topic to its end therefore either writes the next spec of the loop or none.
 */
public final class KafkaSpecLog implements SpecLog {

    private final KafkaConfig kafka;
    private final Topics topics;
    private final Duration timeout;
    private final PolicyFollower policies;
    private final WorkerExecutor worker;

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
        this.worker = vertx.createSharedWorkerExecutor("specs", 1); // one change after another
    }

    /** What the transactional ids of all loops start with; serving's Kafka user may use them. */
    public static String transactionalIdPrefix(Topics topics) {
        return topics.prefix() + "/specs/";
    }

    @Override
    public Future<Entry> append(String loop, Supplier<Entry> change) {
        return worker.executeBlocking(() -> write(loop, change));
    }

    private Entry write(String loop, Supplier<Entry> change) throws InterruptedException {
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        properties(loop), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions(); // completes or aborts the change of another process
            policies.awaitSpecs(timeout);
            Entry entry = change.get();
            if (entry.spec().isPresent()) {
                producer.beginTransaction();
                var unused = producer.send(record(entry.spec().get()));
                producer.commitTransaction();
            }
            return entry;
        } catch (KafkaException e) {
            throw isFenced(e)
                    ? new ProblemException(
                            409,
                            "changed-meanwhile",
                            "the loop is being changed by another request; read it and send your"
                                    + " change again")
                    : ProblemException.notLogged("the spec was not stored in time; send it again");
        }
    }

    private ProducerRecord<byte[], byte[]> record(LoopSpec spec) {
        return new ProducerRecord<>(
                topics.name(Topic.LOOPS),
                spec.loop().getBytes(StandardCharsets.UTF_8),
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
    }

    private Properties properties(String loop) {
        String timeoutMs = Long.toString(timeout.toMillis());
        Properties properties = kafka.properties();
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
