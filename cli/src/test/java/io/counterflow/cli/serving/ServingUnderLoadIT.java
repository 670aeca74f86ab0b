package io.counterflow.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutMode;
import io.counterflow.core.rollout.Stage;
import io.counterflow.schemas.Context;
import io.counterflow.schemas.Impression;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.PolicySnapshot;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.RolloutConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens while requests come in: other policies, and a broker that goes and comes. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ServingUnderLoadIT {

    private static final String SPEC =
            "{\"actions\":[\"a\",\"b\",\"c\"],\"features\":2,\"explorationFloor\":0.1}";
    private static final int CLIENTS = 4;
    private static final int SWAPS = 10;

    @TempDir private Path directory;

    private static DenseModel model(long version) {
        float w = version % 5 + 0.5f;
        return new DenseModel(
                new float[][] {{w, 0}, {0, w}, {-w, w}}, new float[] {0, 0.1f * version, 0});
    }

    private static void publish(
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

    private static byte[] snapshot(String loop, long version) {
        PolicySnapshotRecord record =
                SnapshotConversion.toRecord(
                        PolicySnapshot.of(loop, version, model(version), Optional.empty()));
        return WireCodec.of(PolicySnapshotRecord.class).encode(record);
    }

    /** Each version begins as a canary beside the one before. */
    private static byte[] rollout(String loop, long version) {
        RolloutRecord record =
                RolloutConversion.toRecord(
                        new RolloutChange(
                                version,
                                RolloutChange.Kind.CANARY,
                                new Rollout(
                                        Stage.CANARY,
                                        version - 1,
                                        OptionalLong.of(version),
                                        OptionalLong.empty(),
                                        0.5,
                                        false),
                                "test",
                                Optional.empty()),
                        loop,
                        version,
                        RolloutMode.MANUAL,
                        Optional.empty(),
                        1);
        return WireCodec.of(RolloutRecord.class).encode(record);
    }

    @Test
    void aSwapUnderLoadNeverPairsAChoiceWithAnotherVersionsPropensity() throws Exception {
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.start(directory.resolve("k"), EmbeddedKafka.FREE_PORT);
                RunningServing serving = RunningServing.start(kafka.bootstrapServers(), "")) {
            assertThat(serving.put("/v1/loops/swap", SPEC).statusCode()).isEqualTo(201);
            LoopSpec spec = serving.process().policies().loop("swap").orElseThrow().spec();
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger answered = new AtomicInteger();
            Map<String, JsonNode> answers = new ConcurrentHashMap<>();
            ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                running.add(
                        clients.submit(
                                () -> {
                                    for (int i = 0; !done.get(); i++) {
                                        String id = "e-" + client + "-" + i;
                                        HttpResponse<String> response =
                                                serving.post(
                                                        "/v1/loops/swap/rank",
                                                        "{\"eventId\":\"%s\",\"context\":{\"dense\":[0.4,-0.3]}}"
                                                                .formatted(id));
                                        assertThat(response.statusCode()).isEqualTo(200);
                                        answers.put(id, RunningServing.json(response));
                                        answered.incrementAndGet();
                                    }
                                    return null;
                                }));
            }
            Properties properties = serving.config().kafka().properties();
            try (KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(
                            properties, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (long version = 1; version <= SWAPS; version++) {
                    long now = version;
                    publish(
                            producer,
                            serving,
                            Topic.POLICY_SNAPSHOTS,
                            "swap",
                            snapshot("swap", now));
                    publish(
                            producer,
                            serving,
                            Topic.POLICY_SNAPSHOTS,
                            "swap@" + now,
                            snapshot("swap", now));
                    publish(producer, serving, Topic.ROLLOUTS, "swap", rollout("swap", now));
                    RunningServing.await(
                            "version " + now,
                            () ->
                                    serving.process()
                                            .policies()
                                            .loop("swap")
                                            .orElseThrow()
                                            .canary()
                                            .filter(it -> it.version() == now)
                                            .isPresent());
                    int before = answered.get();
                    RunningServing.await("decisions", () -> answered.get() >= before + 200);
                }
            }
            done.set(true);
            clients.shutdown();
            for (Future<?> client : running) {
                client.get();
            }
            audit(serving, spec, answers);
        }
    }

    /** Takes every logged decision again from the snapshot of its version. */
    private static void audit(
            RunningServing serving, LoopSpec spec, Map<String, JsonNode> answers) {
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        Set<Long> versions = new HashSet<>();
        Set<String> ids = new HashSet<>();
        int[] drawn = new int[3];
        double[] expected = new double[3];
        for (ImpressionRecord record : serving.impressions()) {
            Impression logged = conversion.fromRecord(record);
            Policy policy =
                    spec.policyOf(
                            logged.policyVersion() == 0
                                    ? spec.startingModel()
                                    : model(logged.policyVersion()));
            Features features = ((Context.Vector) logged.context()).features();
            var again = policy.decide(features, EventRandom.of(logged.eventId()));
            assertThat(logged.choice().action()).isEqualTo(again.action());
            assertThat(logged.choice().propensity()).hasValue(again.propensity());
            JsonNode answer = Objects.requireNonNull(answers.get(logged.eventId()));
            assertThat(answer.get("action").asInt()).isEqualTo(again.action());
            assertThat(answer.get("propensity").asDouble()).isEqualTo(again.propensity());
            assertThat(answer.get("policyVersion").asLong()).isEqualTo(logged.policyVersion());
            versions.add(logged.policyVersion());
            ids.add(logged.eventId());
            drawn[again.action()]++;
            for (int a = 0; a < 3; a++) {
                expected[a] += again.distribution()[a];
            }
        }
        assertThat(ids).isEqualTo(answers.keySet());
        assertThat(versions).hasSize(SWAPS + 1);
        for (int a = 0; a < 3; a++) {
            expected[a] /= ids.size();
        }
        ChiSquare.assertFits(drawn, expected, "decisions over HTTP");
    }

    @Test
    void whenTheBrokerGoesNothingThatWasAcknowledgedIsLost() throws Exception {
        Path data = directory.resolve("k");
        EmbeddedKafka first = EmbeddedKafka.start(data, EmbeddedKafka.FREE_PORT);
        int port = Integer.parseInt(first.bootstrapServers().split(":", -1)[1]);
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        Map<String, Boolean> decisions = new ConcurrentHashMap<>();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger unlogged = new AtomicInteger();
        try (RunningServing serving =
                RunningServing.start(
                        first.bootstrapServers(),
                        "serving.impressions.timeout: 500ms\nserving.rewards.timeout: 1s")) {
            serving.put("/v1/loops/refusing", SPEC);
            serving.put(
                    "/v1/loops/answering", SPEC.replace("}", ",\"unloggedDecision\":\"answer\"}"));
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                running.add(
                        clients.submit(
                                () -> {
                                    for (int i = 0; !done.get(); i++) {
                                        String id = "e-" + client + "-" + i;
                                        rank(serving, id, i % 2 == 0, decisions, refused, unlogged);
                                        reward(serving, id, acknowledged, refused);
                                    }
                                    return null;
                                }));
            }
            RunningServing.await("rewards", () -> acknowledged.size() >= 300);
            first.close();
            RunningServing.await("refusals", () -> refused.get() >= 8);
            RunningServing.await("unlogged answers", () -> unlogged.get() >= 3);
            int before = acknowledged.size();
            try (EmbeddedKafka second = EmbeddedKafka.start(data, port)) {
                assertThat(second.bootstrapServers()).isEqualTo(first.bootstrapServers());
                RunningServing.await("rewards again", () -> acknowledged.size() >= before + 300);
                done.set(true);
                clients.shutdown();
                for (Future<?> client : running) {
                    client.get();
                }
                Map<String, Integer> stored = new HashMap<>();
                for (RewardRecord reward : serving.rewards()) {
                    stored.merge(reward.getRewardId(), 1, Integer::sum);
                }
                assertThat(stored.keySet()).containsAll(acknowledged);
                assertThat(acknowledged).allMatch(id -> stored.getOrDefault(id, 0) == 1);
                Set<String> logged = new HashSet<>();
                serving.impressions().forEach(it -> logged.add(it.getEventId()));
                decisions.forEach(
                        (id, marked) -> {
                            if (marked) {
                                assertThat(logged).contains(id);
                            }
                        });
                assertThat(serving.manage("/metrics").body())
                        .contains("counterflow_decisions_unlogged_total{outcome=\"answered\"}")
                        .contains("counterflow_decisions_unlogged_total{outcome=\"refused\"}");
                assertThat(serving.log()).containsOnlyOnce("kafka-away");
                RunningServing.await("news of Kafka", () -> serving.log().contains("kafka-back"));
            }
        }
    }

    private static void rank(
            RunningServing serving,
            String id,
            boolean refusing,
            Map<String, Boolean> decisions,
            AtomicInteger refused,
            AtomicInteger unlogged)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/" + (refusing ? "refusing" : "answering") + "/rank",
                        "{\"eventId\":\"%s\",\"context\":{\"dense\":[0.4,-0.3]}}".formatted(id));
        if (refusing && response.statusCode() == 503) {
            refused.incrementAndGet();
            return;
        }
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        boolean logged = RunningServing.json(response).get("logged").asBoolean();
        assertThat(logged || !refusing).isTrue();
        if (!logged) {
            unlogged.incrementAndGet();
        }
        decisions.put(id, logged);
    }

    private static void reward(
            RunningServing serving, String id, Set<String> acknowledged, AtomicInteger refused)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/refusing/events/" + id + "/reward",
                        "{\"value\":1,\"rewardId\":\"r-" + id + "\"}");
        if (response.statusCode() == 202) {
            acknowledged.add("r-" + id);
        } else {
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(RunningServing.json(response).get("rewardId").asText()).isEqualTo("r-" + id);
            refused.incrementAndGet();
        }
    }
}
