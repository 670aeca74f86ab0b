package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ServingIT {

    private static final String DENSE =
            """
            {"actions":["a","b","c"],"features":2,"attributionWindow":"30s","explorationFloor":0.1}
            """;

    private static RunningServing serving;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        serving = RunningServing.start(kafka, "serving.personalizer-loop: articles");
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    @Test
    void aDecisionIsLoggedAsItWasAnswered() throws Exception {
        assertThat(serving.put("/v1/loops/logged", DENSE).statusCode()).isEqualTo(201);
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/logged/rank",
                        """
                        {"eventId":"e-1","context":{"dense":[0.5,1.0]},"excludedActions":["b"],
                         "deferActivation":true}
                        """);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode answer = RunningServing.json(response);
        assertThat(answer.get("eventId").asText()).isEqualTo("e-1");
        assertThat(answer.get("propensity").asDouble()).isEqualTo(0.5);
        assertThat(answer.get("logged").asBoolean()).isTrue();
        assertThat(answer.get("actionId").asText()).isIn("a", "c");
        assertThat(answer.get("ranking")).hasSize(3);
        assertThat(answer.get("ranking").get(2).get("id").asText()).isEqualTo("b");
        assertThat(answer.get("ranking").get(2).get("probability").asDouble()).isZero();

        List<ImpressionRecord> logged =
                serving.impressions().stream().filter(it -> it.getLoop().equals("logged")).toList();
        assertThat(logged).hasSize(1);
        ImpressionRecord impression = logged.get(0);
        assertThat(impression.getEventId()).isEqualTo("e-1");
        assertThat(impression.getAction()).isEqualTo(answer.get("action").asInt());
        assertThat(impression.getPropensity()).isEqualTo(answer.get("propensity").asDouble());
        assertThat(impression.getDistribution()).containsExactly(0.5, 0.0, 0.5);
        assertThat(impression.getExcludedActions()).containsExactly(1);
        assertThat(impression.getPolicyVersion()).isZero();
        assertThat(impression.getSpecVersion()).isEqualTo(1);
        assertThat(impression.getAttributionWindowMs()).isEqualTo(30_000);
        assertThat(impression.getDeferred()).isTrue();
    }

    @Test
    void aLargeRequestIsDecidedLikeASmallOne() throws Exception {
        serving.put("/v1/loops/large", DENSE);
        String small = "{\"eventId\":\"large\",\"context\":{\"dense\":[0.5,1.0]}}";
        String large = small.replace("0.5", "0.5" + " ".repeat(200_000));
        assertThat(serving.post("/v1/loops/large/rank", large).body())
                .isEqualTo(serving.post("/v1/loops/large/rank", small).body());
        String wrong = large.replace("1.0]", "1.0,2.0]");
        HttpResponse<String> refused = serving.post("/v1/loops/large/rank", wrong);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    }

    @Test
    void theSameEventIsDecidedTheSameWay() throws Exception {
        serving.put("/v1/loops/same", DENSE);
        String body = "{\"eventId\":\"again\",\"context\":{\"dense\":[0.5,1.0]}}";
        String first = serving.post("/v1/loops/same/rank", body).body();
        for (int i = 0; i < 5; i++) {
            assertThat(serving.post("/v1/loops/same/rank", body).body()).isEqualTo(first);
        }
    }

    @Test
    void rewardsAndActivationsAreInKafkaWhenTheyAreAccepted() throws Exception {
        serving.put("/v1/loops/rewarded", DENSE);
        HttpResponse<String> reward =
                serving.post(
                        "/v1/loops/rewarded/events/e%2F1%20x/reward",
                        "{\"value\":0.5,\"rewardId\":\"r-1\",\"time\":\"2026-01-01T00:00:00Z\"}");
        assertThat(reward.statusCode()).as(reward.body()).isEqualTo(202);
        assertThat(RunningServing.json(reward).get("rewardId").asText()).isEqualTo("r-1");
        assertThat(serving.post("/v1/loops/rewarded/events/e-2/activate", "").statusCode())
                .isEqualTo(202);

        List<RewardRecord> rewards =
                serving.rewards().stream().filter(it -> it.getLoop().equals("rewarded")).toList();
        assertThat(rewards).hasSize(1);
        assertThat(rewards.get(0).getEventId()).isEqualTo("e/1 x");
        assertThat(rewards.get(0).getValue()).isEqualTo(0.5);
        assertThat(rewards.get(0).getTime()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(serving.records(Topic.REWARDS, ActivationRecord.class))
                .filteredOn(it -> it.getLoop().equals("rewarded"))
                .extracting(ActivationRecord::getEventId)
                .containsExactly("e-2");
    }

    @Test
    void aChangedSpecIsAnsweredWithTheKindOfChange() throws Exception {
        assertThat(serving.get("/v1/loops/changed").statusCode()).isEqualTo(404);
        JsonNode created = RunningServing.json(serving.put("/v1/loops/changed", DENSE));
        assertThat(created.get("change").asText()).isEqualTo("created");
        assertThat(created.get("version").asLong()).isEqualTo(1);

        assertThat(RunningServing.json(serving.put("/v1/loops/changed", DENSE)).get("change"))
                .asString()
                .contains("unchanged");
        JsonNode immediate =
                RunningServing.json(
                        serving.put(
                                "/v1/loops/changed",
                                DENSE.replace("0.1}", "0.2,\"learningRate\":0.5}")));
        assertThat(immediate.get("change").asText()).isEqualTo("immediate");
        assertThat(immediate.get("version").asLong()).isEqualTo(2);
        assertThat(immediate.get("fields").findValuesAsText("name"))
                .containsExactlyInAnyOrder("learningRate", "explorationFloor");
        JsonNode later =
                RunningServing.json(
                        serving.put(
                                "/v1/loops/changed", DENSE.replace("0.1}", "0.2,\"tau\":0.5}")));
        assertThat(later.get("change").asText()).isEqualTo("nextGeneration");
        HttpResponse<String> refused =
                serving.put("/v1/loops/changed", DENSE.replace("\"features\":2", "\"features\":3"));
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.headers().firstValue("content-type"))
                .hasValue("application/problem+json");
        assertThat(RunningServing.json(refused).get("fields").get(0).get("verdict").asText())
                .isEqualTo("refused");

        assertThat(serving.records(Topic.LOOPS, LoopSpecRecord.class))
                .filteredOn(it -> it.getLoop().equals("changed"))
                .extracting(LoopSpecRecord::getVersion)
                .containsExactly(1L, 2L, 3L);
        JsonNode shown = RunningServing.json(serving.get("/v1/loops/changed"));
        assertThat(shown.get("specVersion").asLong()).isEqualTo(3);
        assertThat(shown.get("spec").get("tau").asDouble()).isEqualTo(0.5);
        assertThat(
                        RunningServing.json(serving.get("/v1/loops"))
                                .get("loops")
                                .findValuesAsText("loop"))
                .contains("changed");
    }

    private static void publish(Topic topic, String key, byte[] value) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        serving.config().kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.send(
                            new ProducerRecord<>(
                                    serving.config().topics().name(topic),
                                    key.getBytes(StandardCharsets.UTF_8),
                                    value))
                    .get();
        }
    }

    @Test
    void forgedSnapshotsAreRejectedAndVersionsAreListed() throws Exception {
        serving.put("/v1/loops/listed", DENSE);
        PolicySnapshotRecord good =
                SnapshotConversion.toRecord(
                        PolicySnapshot.of("listed", 1, DenseModel.zeros(3, 2), Optional.empty()));
        PolicySnapshotRecord forged =
                SnapshotConversion.toRecord(
                        PolicySnapshot.of("listed", 2, DenseModel.zeros(3, 2), Optional.empty()));
        forged.setExamples(99);
        WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);
        publish(Topic.POLICY_SNAPSHOTS, "listed@2", codec.encode(forged));
        publish(Topic.POLICY_SNAPSHOTS, "listed@1", codec.encode(good));
        RunningServing.await(
                "version 1",
                () ->
                        !serving.process()
                                .policies()
                                .loop("listed")
                                .orElseThrow()
                                .versions()
                                .isEmpty());
        JsonNode policies = RunningServing.json(serving.get("/v1/loops/listed/policies"));
        assertThat(policies.get("policies")).hasSize(2);
        assertThat(policies.get("policies").get(0).get("version").asLong()).isEqualTo(1);
        assertThat(policies.get("policies").get(1).get("role").asText()).isEqualTo("active");
        JsonNode one = RunningServing.json(serving.get("/v1/loops/listed/policies/1"));
        assertThat(one.get("snapshot").get("model").asText()).isEqualTo("dense");
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_loop_policy_version{loop=\"listed\"} 0.0")
                .containsPattern(
                        "counterflow_loop_snapshot_age_seconds\\{loop=\"listed\"} [0-9.E]+\n");
        assertThat(serving.get("/v1/loops/listed/policies/2").statusCode()).isEqualTo(404);
        assertThat(serving.get("/v1/loops/listed/policies/x").statusCode()).isEqualTo(400);
        assertThat(serving.process().policies().refused()).isEqualTo(1);
        assertThat(serving.log()).contains("record-refused").contains("listed@2");
    }

    @Test
    void versionsInUseAreListedHoweverOldTheyAre() throws Exception {
        serving.put("/v1/loops/aged", DENSE);
        try (PublishedPolicies published =
                new PublishedPolicies(serving.config().kafka(), serving.config().topics())) {
            for (int version = 1; version <= 60; version++) {
                published.publish("aged", version, DenseModel.zeros(3, 2));
            }
            published.roll(
                    "aged",
                    1,
                    new Rollout(
                            Stage.CANARY,
                            4,
                            OptionalLong.of(6),
                            List.of(),
                            OptionalLong.of(3),
                            0.25,
                            false,
                            Optional.empty()));
        }
        RunningServing.await(
                "the canary and all versions",
                () -> {
                    ServedLoop loop = serving.process().policies().loop("aged").orElseThrow();
                    return loop.canary().isPresent() && loop.versions().size() == 60;
                });
        JsonNode answer = RunningServing.json(serving.get("/v1/loops/aged/policies?limit=5"));
        assertThat(answer.get("startingVersion").asLong()).isZero();
        assertThat(answer.get("policies").findValuesAsText("role"))
                .containsExactly(
                        "none",
                        "none",
                        "none",
                        "none",
                        "none",
                        "candidate",
                        "active",
                        "previous",
                        "none",
                        "none");
        List<Long> listed = new ArrayList<>();
        answer.get("policies").forEach(it -> listed.add(it.get("version").asLong()));
        assertThat(listed).containsExactly(60L, 59L, 58L, 57L, 56L, 6L, 4L, 3L, 1L, 0L);
    }

    @Test
    void commandsOfAPersonAreRecorded() throws Exception {
        serving.put("/v1/loops/asked", DENSE);
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/asked/rollout",
                        "{\"action\":\"canary\",\"version\":3,\"share\":0.25,\"reason\":\"try"
                                + " it\"}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        String commandId = RunningServing.json(response).get("commandId").asText();
        RolloutCommandRecord command =
                serving.records(Topic.ROLLOUT_COMMANDS, RolloutCommandRecord.class).stream()
                        .filter(it -> it.getCommandId().equals(commandId))
                        .findAny()
                        .orElseThrow();
        assertThat(command.getAction()).isEqualTo(RolloutActionRecord.CANARY);
        assertThat(command.getVersion()).isEqualTo(3);
        assertThat(command.getShare()).isEqualTo(0.25);
        assertThat(command.getReason()).isEqualTo("try it");
    }

    @Test
    void windowsAreShownAndStreamed() throws Exception {
        serving.put("/v1/loops/watched", DENSE);
        HttpResponse<Stream<String>> stream =
                serving.client()
                        .send(
                                serving.request("/v1/loops/watched/stream").GET().build(),
                                HttpResponse.BodyHandlers.ofLines());
        assertThat(stream.headers().firstValue("content-type")).hasValue("text/event-stream");
        Iterator<String> lines = stream.body().iterator();
        assertThat(lines.next()).isEqualTo(":");
        IpsWindowRecord window = new IpsWindowRecord();
        window.setLoop("watched");
        window.setPolicyVersion(4);
        window.setWindowStart(Instant.parse("2026-01-01T00:00:00Z"));
        window.setWindowEnd(Instant.parse("2026-01-01T00:05:00Z"));
        window.setN(10);
        window.setOnPolicyMean(0.5);
        window.setEstimates(List.of());
        window.setActionCounts(List.of(3L, 7L));
        window.setExpectedActionCounts(List.of(4.0, 6.0));
        publish(Topic.IPS_STATS, "watched", WireCodec.of(IpsWindowRecord.class).encode(window));
        String line = lines.next();
        while (!line.equals("event: window")) { // events of the pipeline come in between
            line = lines.next();
        }
        assertThat(lines.next()).startsWith("data: ").contains("\"policyVersion\":4");
        JsonNode stats = RunningServing.json(serving.get("/v1/loops/watched/stats"));
        assertThat(stats.get("windows")).hasSize(1);
        assertThat(stats.get("windows").get(0).get("onPolicyMean").asDouble()).isEqualTo(0.5);
        stream.body().close();
    }

    @Test
    void everyPartitionGetsHeartbeats() throws Exception {
        for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
            RunningServing.await(
                    "heartbeats on " + topic,
                    () -> serving.records(topic, HeartbeatRecord.class).size() >= 2);
        }
        // Specs and commands do not hold back event time.
        assertThat(serving.records(Topic.LOOPS, HeartbeatRecord.class)).isEmpty();
        assertThat(serving.records(Topic.ROLLOUT_COMMANDS, HeartbeatRecord.class)).isEmpty();
    }

    @Test
    void theManagementPortReportsHealthAndMetrics() throws Exception {
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = serving.manage("/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(RunningServing.json(ready).get("ready").asBoolean()).isTrue();
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_loops", "counterflow_records_waiting");
        assertThat(serving.get("/metrics").statusCode()).isEqualTo(404);
        assertThat(serving.manage("/v1/loops").statusCode()).isEqualTo(404);
    }
}
