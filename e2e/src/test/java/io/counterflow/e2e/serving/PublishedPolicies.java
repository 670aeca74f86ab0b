package io.counterflow.e2e.serving;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Publishes and promotes versions of a loop, like the job. */
final class PublishedPolicies implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;

    PublishedPolicies(KafkaConfig kafka, Topics topics) {
        this.producer =
                new KafkaProducer<>(
                        kafka.properties(), new ByteArraySerializer(), new ByteArraySerializer());
        this.topics = topics;
    }

    void promote(String loop, long version, LinearModel model) throws Exception {
        publish(loop, version, model);
        roll(
                loop,
                version,
                new Rollout(
                        Stage.FULL,
                        version,
                        OptionalLong.empty(),
                        List.of(),
                        OptionalLong.empty(),
                        0.0,
                        false,
                        Optional.empty()));
    }

    void publish(String loop, long version, LinearModel model) throws Exception {
        byte[] snapshot =
                WireCodec.of(PolicySnapshotRecord.class)
                        .encode(
                                SnapshotConversion.toRecord(
                                        PolicySnapshot.of(loop, version, model, Optional.empty())));
        send(Topic.POLICY_SNAPSHOTS, loop, snapshot);
        send(Topic.POLICY_SNAPSHOTS, loop + "@" + version, snapshot);
    }

    void roll(String loop, long sequence, Rollout state) throws Exception {
        RolloutRecord rollout =
                RolloutConversion.toRecord(
                        new RolloutChange(
                                sequence,
                                RolloutChange.Kind.PROMOTED,
                                state,
                                "test",
                                Optional.empty()),
                        loop,
                        sequence,
                        RolloutMode.MANUAL,
                        Optional.empty(),
                        1);
        send(Topic.ROLLOUTS, loop, WireCodec.of(RolloutRecord.class).encode(rollout));
    }

    private void send(Topic topic, String key, byte[] value) throws Exception {
        producer.send(
                        new ProducerRecord<>(
                                topics.name(topic), key.getBytes(StandardCharsets.UTF_8), value))
                .get();
    }

    @Override
    public void close() {
        producer.close();
    }
}
