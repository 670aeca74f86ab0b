package io.counterflow.e2e.failures;

import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.NamedFeaturesText;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Records that must not stop anything, on every topic that the job or serving reads. */
final class Poison {

    /** The key of all of them. */
    static final String KEY = "poison";

    private static final List<Topic> READ =
            List.of(
                    Topic.IMPRESSIONS,
                    Topic.REWARDS,
                    Topic.LOOPS,
                    Topic.ROLLOUT_COMMANDS,
                    Topic.POLICY_SNAPSHOTS,
                    Topic.ROLLOUTS,
                    Topic.IPS_STATS,
                    Topic.LOOP_COUNTS);

    private Poison() {}

    /** Sends all of them, and returns their number. */
    static int send(Deployment deployment, Random random) {
        List<byte @Nullable []> values = values(random);
        int sent = 0;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        deployment.kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (Topic topic : READ) {
                for (byte[] value : values) {
                    var unused = // flush waits for it
                            producer.send(
                                    new ProducerRecord<>(
                                            deployment.topics().name(topic),
                                            KEY.getBytes(StandardCharsets.UTF_8),
                                            value));
                    sent++;
                }
            }
            producer.flush();
        }
        return sent;
    }

    private static List<byte @Nullable []> values(Random random) {
        List<byte @Nullable []> values = new ArrayList<>();
        values.add(null);
        values.add(new byte[0]);
        values.add("not a record".getBytes(StandardCharsets.UTF_8));
        byte[] noise = new byte[500];
        random.nextBytes(noise);
        values.add(noise);
        for (double propensity : new double[] {0, -1, Double.NaN, 1e-300}) {
            values.add(impression(propensity, Instant.now()));
        }
        values.add(impression(0.5, Instant.now().plus(Duration.ofDays(400))));
        values.add(impression(0.5, Instant.EPOCH));
        byte[] whole = impression(0.5, Instant.now());
        values.add(Arrays.copyOf(whole, whole.length / 2));
        byte[] changed = impression(0.5, Instant.now());
        changed[random.nextInt(10)] ^=
                (byte) (1 + random.nextInt(255)); // the head names the schema
        values.add(changed);
        for (double value : new double[] {2, Double.NaN, Double.NEGATIVE_INFINITY}) {
            values.add(reward(value));
        }
        values.add(
                WireCodec.of(HeartbeatRecord.class)
                        .encode(
                                new HeartbeatRecord(
                                        KEY, Instant.now().plus(Duration.ofDays(4_000)))));
        return values;
    }

    private static byte[] impression(double propensity, Instant time) {
        return WireCodec.of(ImpressionRecord.class)
                .encode(
                        ImpressionRecord.newBuilder()
                                .setEventId(KEY)
                                .setLoop("clicks")
                                .setPolicyVersion(0)
                                .setTime(time)
                                .setRewardAggregation(RewardAggregationRecord.FIRST)
                                .setPropensityKind(PropensityKindRecord.EXACT)
                                .setFeatures(new NamedFeaturesText("{\"a\":1}"))
                                .setActions(List.of())
                                .setExcludedActions(List.of())
                                .setDistribution(List.of())
                                .setAction(0)
                                .setPropensity(propensity)
                                .build());
    }

    private static byte[] reward(double value) {
        return WireCodec.of(RewardRecord.class)
                .encode(
                        RewardRecord.newBuilder()
                                .setRewardId(KEY)
                                .setEventId(KEY)
                                .setLoop("clicks")
                                .setTime(Instant.now())
                                .setValue(value)
                                .setMetric(RewardMetricRecord.REWARD)
                                .build());
    }
}
