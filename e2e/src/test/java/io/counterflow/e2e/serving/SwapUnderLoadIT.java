package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Policies change under load. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class SwapUnderLoadIT {

    private static final String LOOP = "swap";
    private static final String SPEC =
            """
            {"loop":"swap","version":1,"actions":["a","b","c"],"features":2,"explorationFloor":0.1}
            """;
    private static final int SWAPS = 20;
    private static final int DECISIONS_PER_VERSION = 1_000;

    @TempDir private Path directory;

    private static DenseModel model(long version) {
        float w = version % 5 + 0.5f;
        return new DenseModel(
                new float[][] {{w, 0}, {0, w}, {-w, w}}, new float[] {0, 0.1f * version, 0});
    }

    private static PolicySnapshot snapshot(long version) {
        return PolicySnapshot.of(LOOP, version, model(version), Optional.empty());
    }

    /** Each version begins as a canary beside the one before. */
    private static RolloutRecord rollout(long version) {
        Rollout rollout =
                new Rollout(
                        Stage.CANARY,
                        version - 1,
                        OptionalLong.of(version),
                        List.of(),
                        OptionalLong.empty(),
                        0.5,
                        false,
                        Optional.empty());
        RolloutChange change =
                new RolloutChange(
                        version, RolloutChange.Kind.CANARY, rollout, "test", Optional.empty());
        return RolloutConversion.toRecord(
                change, LOOP, version, RolloutMode.MANUAL, Optional.empty(), 1);
    }

    @Test
    void aSwapUnderLoadNeverPairsAChoiceWithAnotherVersionsPropensity(SharedKafka kafka)
            throws Exception {
        try (RunningServing serving =
                RunningServing.start(kafka, "serving.requests-per-second: 1000000")) {
            assertThat(serving.put("/v1/loops/" + LOOP, SPEC).statusCode()).isEqualTo(201);
            RankLoad load = new RankLoad(serving, LOOP, "{\"dense\":[0.4,-0.3]}");
            try (KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(
                            serving.config().kafka().properties(),
                            new ByteArraySerializer(),
                            new ByteArraySerializer())) {
                for (long version = 1; version <= SWAPS; version++) {
                    publish(producer, serving, version);
                    awaitCanary(serving, version);
                    load.awaitMore(DECISIONS_PER_VERSION);
                }
            }
            load.stop();
            audit(serving, load);
        }
    }

    private static void publish(
            KafkaProducer<byte[], byte[]> producer, RunningServing serving, long version)
            throws Exception {
        byte[] snapshot =
                WireCodec.of(PolicySnapshotRecord.class)
                        .encode(SnapshotConversion.toRecord(snapshot(version)));
        send(producer, serving, Topic.POLICY_SNAPSHOTS, LOOP, snapshot);
        send(producer, serving, Topic.POLICY_SNAPSHOTS, LOOP + "@" + version, snapshot);
        byte[] rollout = WireCodec.of(RolloutRecord.class).encode(rollout(version));
        send(producer, serving, Topic.ROLLOUTS, LOOP, rollout);
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer,
            RunningServing serving,
            Topic topic,
            String key,
            byte[] value)
            throws Exception {
        producer.send(
                        new ProducerRecord<>(
                                serving.config().topics().name(topic),
                                key.getBytes(StandardCharsets.UTF_8),
                                value))
                .get();
    }

    private static void awaitCanary(RunningServing serving, long version) {
        RunningServing.await(
                "version " + version,
                () ->
                        serving.process()
                                .policies()
                                .loop(LOOP)
                                .orElseThrow()
                                .canary()
                                .filter(it -> it.version() == version)
                                .isPresent());
    }

    /** Writes the log, the snapshots and the spec to files, and lets the command check them. */
    private void audit(RunningServing serving, RankLoad load) throws Exception {
        Path policies = Files.createDirectory(directory.resolve("policies"));
        Files.writeString(policies.resolve("swap-1.spec.json"), SPEC);
        for (long version = 1; version <= SWAPS; version++) {
            SnapshotFile.write(
                    policies.resolve("swap-%d.snapshot".formatted(version)), snapshot(version));
        }
        Path log = directory.resolve("log.avro");
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        Set<Long> versions = new HashSet<>();
        Set<String> ids = new HashSet<>();
        int[] drawn = new int[3];
        double[] expected = new double[3];
        try (LogWriter writer = LogWriter.create(log)) {
            for (ImpressionRecord record : serving.impressions()) {
                Impression logged = conversion.fromRecord(record);
                writer.write(logged);
                load.requireAnswered(logged);
                versions.add(logged.policyVersion());
                ids.add(logged.eventId());
                drawn[logged.choice().action()]++;
                for (int a = 0; a < 3; a++) {
                    expected[a] += logged.choice().distribution().get(a);
                }
            }
            writer.finish();
        }
        assertThat(ids).hasSize(load.answered());
        assertThat(versions).hasSize(SWAPS + 1);
        JsonNode audit = OfflineCommands.json("audit", "--log", log, "--policies", policies);
        assertThat(audit.get("decisions").asInt())
                .isEqualTo(load.answered())
                .isGreaterThanOrEqualTo(SWAPS * DECISIONS_PER_VERSION);
        assertThat(audit.get("matches").asInt()).isEqualTo(load.answered());
        for (int a = 0; a < 3; a++) {
            expected[a] /= ids.size();
        }
        ChiSquare.assertFits(drawn, expected, "decisions over HTTP");
    }
}
