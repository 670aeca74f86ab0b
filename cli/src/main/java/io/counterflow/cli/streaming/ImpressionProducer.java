package io.counterflow.cli.streaming;

import io.counterflow.core.log.Impression;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes impressions to Kafka, and heartbeats that advance event time. For one thread. */
final class ImpressionProducer implements AutoCloseable {

    private static final String SOURCE = "replay";
    private static final List<Topic> WRITTEN =
            List.of(Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS);

    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;
    private final int partitions;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<HeartbeatRecord> heartbeats = WireCodec.of(HeartbeatRecord.class);

    private volatile @Nullable Exception failure; // set by the producer's thread

    private ImpressionProducer(
            KafkaProducer<byte[], byte[]> producer, JobConfig config, int partitions) {
        this.producer = producer;
        this.topics = config.topics();
        this.partitions = partitions;
    }

    /** Connects, and creates missing topics. */
    static ImpressionProducer connect(JobConfig config) {
        int partitions;
        try (TopicAdmin admin =
                TopicAdmin.connect(config.kafka(), config.topics(), config.topicSettings())) {
            admin.ensure(WRITTEN, config.createTopics());
            partitions = admin.partitions(Topic.IMPRESSIONS);
        }
        Properties properties = config.kafka().producerProperties();
        properties.setProperty("linger.ms", "20");
        return new ImpressionProducer(
                new KafkaProducer<>(
                        properties,
                        new ByteArraySerializer(),
                        config.kafka().values().writer(config.topics(), WRITTEN)),
                config,
                partitions);
    }

    String topic() {
        return topics.name(Topic.IMPRESSIONS);
    }

    void send(Impression impression) {
        send(
                new ProducerRecord<>(
                        topic(),
                        impression.eventId().getBytes(StandardCharsets.UTF_8),
                        codec.encode(conversion.toRecord(impression))));
    }

    /** Sends a loop's spec and waits for the acknowledgement, because it must come first. */
    void send(LoopSpec spec) {
        send(
                new ProducerRecord<>(
                        topics.name(Topic.LOOPS),
                        spec.loop().getBytes(StandardCharsets.UTF_8),
                        WireCodec.of(LoopSpecRecord.class)
                                .encode(LoopSpecConversion.toRecord(spec))));
        flush();
    }

    /**
     * Advances the event time of every partition. This includes the rewards topic: a replay sends
     * no rewards, and its watermark would hold back all others.
     */
    void heartbeat(Instant time) {
        byte[] value = heartbeats.encode(new HeartbeatRecord(SOURCE, time));
        for (int partition = 0; partition < partitions; partition++) {
            send(new ProducerRecord<>(topic(), partition, null, value));
            send(new ProducerRecord<>(topics.name(Topic.REWARDS), partition, null, value));
        }
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        requireNoFailure();
        var unused = // the callback reports failures
                producer.send(
                        record,
                        (metadata, thrown) -> {
                            if (thrown != null) {
                                failure = thrown;
                            }
                        });
    }

    /** Waits for the acknowledgement of all records. */
    void flush() {
        producer.flush();
        requireNoFailure();
    }

    private void requireNoFailure() {
        Exception thrown = failure;
        if (thrown != null) {
            throw new KafkaException(
                    "Kafka did not accept a record: " + thrown.getMessage(), thrown);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
