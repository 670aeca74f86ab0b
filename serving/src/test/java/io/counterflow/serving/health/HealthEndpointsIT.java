package io.counterflow.serving.health;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.util.List;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HealthEndpointsIT {

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    @Test
    void aProcessThatAnswersIsAlive() {
        HttpResponse<String> alive = serving.manage("/livez");
        assertThat(alive.statusCode()).isEqualTo(200);
        assertThat(alive.body()).isEqualTo("alive\n");
        serving.setCaughtUp(false);
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void aProcessIsReadyWhenAllPoliciesAreKnown() {
        serving.setCaughtUp(false);
        JsonNode starting = json(503, serving.manage("/readyz"));
        assertThat(starting.get("ready").asBoolean()).isFalse();
        assertThat(starting.get("caughtUp").asBoolean()).isFalse();
        serving.setCaughtUp(true);
        JsonNode ready = json(200, serving.manage("/readyz"));
        assertThat(ready.get("ready").asBoolean()).isTrue();
        assertThat(ready.get("stopping").asBoolean()).isFalse();
        assertThat(ready.get("loops").asInt()).isEqualTo(1);
        assertThat(ready.get("refusedRecords").asLong()).isZero();
        assertThat(ready.get("degradedLoops")).isEmpty();
    }

    @Test
    void aProcessWithALoopThatIsTooLargeIsReadyForTheOthersAndNamesIt() {
        serving.policies().spec(PolicyStoreFixture.spec("large", 1, "{\"bits\":26}"));
        serving.policies().store().swap();
        JsonNode ready = json(200, serving.manage("/readyz"));
        assertThat(ready.get("loops").asInt()).isEqualTo(1);
        assertThat(ready.get("refusedRecords").asLong()).isEqualTo(1);
        assertThat(ready.at("/refusedLoops/0/loop").asText()).isEqualTo("large");
        assertThat(ready.at("/refusedLoops/0/reason").asText()).contains("serving.max-loop-size");
    }

    @Test
    void aProcessThatStopsIsNotReady() {
        serving.stop();
        JsonNode stopping = json(503, serving.manage("/readyz"));
        assertThat(stopping.get("caughtUp").asBoolean()).isTrue();
        assertThat(stopping.get("stopping").asBoolean()).isTrue();
    }

    @Test
    void aProcessThatOnlyARestartRepairsIsNeitherAliveNorReady() {
        serving.setDefects(List.of("the thread follow-policies has ended"));
        HttpResponse<String> alive = serving.manage("/livez");
        assertThat(alive.statusCode()).isEqualTo(503);
        assertThat(alive.body()).isEqualTo("the thread follow-policies has ended\n");
        assertThat(json(503, serving.manage("/readyz")).get("defects")).hasSize(1);
    }

    /** Kafka is away for all processes, so taking one out of service would not help. */
    @Test
    void aProcessStaysReadyWhileKafkaIsAway() {
        assertThat(json(200, serving.manage("/readyz")).get("kafka").asText())
                .isEqualTo("connected");
        serving.setKafka(KafkaLink.State.AWAY);
        assertThat(json(200, serving.manage("/readyz")).get("kafka").asText()).isEqualTo("away");
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void aProcessIsNotReadyWhileAProducerIsReplaced() {
        serving.setFailures(List.of("the producer of [rewards] has failed"));
        JsonNode failed = json(503, serving.manage("/readyz"));
        assertThat(failed.get("failures").get(0).asText()).contains("rewards");
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void whatKafkaRefusesForGoodIsNoTemporaryProblem() {
        String rank = "{\"eventId\":\"e-1\",\"context\":{\"dense\":[1,1]}}";
        serving.topics().setRefusal(new RecordTooLargeException("1 byte"));
        JsonNode large =
                problem(
                        413,
                        "record-too-large",
                        "larger than Kafka's topic allows",
                        serving.post("/v1/loops/home/rank", rank));
        assertThat(large.get("eventId").asText()).isEqualTo("e-1");
        serving.topics().setRefusal(new TopicAuthorizationException("rewards"));
        problem(
                500,
                "kafka-not-authorized",
                "does not allow",
                serving.post("/v1/loops/home/events/e-1/reward", "{\"value\":1}"));
        problem(
                500,
                "kafka-not-authorized",
                "does not allow",
                serving.post("/v1/loops/home/rollout", "{\"action\":\"pause\",\"reason\":\"r\"}"));
        serving.topics().setRefusal(new TimeoutException("slow"));
        problem(503, "not-logged", "", serving.post("/v1/loops/home/rank", rank));
    }

    @Test
    void refusedRecordsAndDegradedLoopsAreShownButReady() {
        serving.policies().snapshot(new byte[] {1, 2, 3}, 1).active(5, 1).served();
        JsonNode ready = json(200, serving.manage("/readyz"));
        assertThat(ready.get("refusedRecords").asLong()).isEqualTo(1);
        assertThat(ready.get("degradedLoops")).hasSize(1);
        JsonNode degraded = ready.get("degradedLoops").get(0);
        assertThat(degraded.get("loop").asText()).isEqualTo("home");
        assertThat(degraded.get("servedVersion").asLong()).isZero();
        assertThat(degraded.get("reason").asText()).contains("5");
    }

    @Test
    void metricsCountRequestsByRouteAndStatus() {
        serving.get("/v1/loops/home");
        serving.get("/v1/loops/nobody");
        serving.get("/nowhere");
        String metrics = serving.manage("/metrics").body();
        assertThat(metrics)
                .contains(
                        "counterflow_http_requests_seconds_count{route=\"/v1/loops/{loop}\",status=\"200\"} 1")
                .contains(
                        "counterflow_http_requests_seconds_count{route=\"/v1/loops/{loop}\",status=\"404\"} 1")
                .contains(
                        "counterflow_http_requests_seconds_count{route=\"none\",status=\"404\"} 1");
        assertThat(metrics).as("no metric per path").doesNotContain("nobody", "nowhere");
        assertThat(serving.manage("/metrics").headers().firstValue("content-type").orElseThrow())
                .startsWith("text/plain; version=0.0.4");
    }

    @Test
    void metricsShowWhichVersionDecidesALoop() {
        DenseModel zeros = DenseModel.zeros(3, 2);
        PolicyStoreFixture policies = serving.policies();
        policies.snapshot(
                        PolicyStoreFixture.snapshot(
                                PolicyStoreFixture.spec(1, ServingFixture.SPEC), 1, zeros))
                .snapshot(
                        PolicyStoreFixture.snapshot(
                                PolicyStoreFixture.spec(1, ServingFixture.SPEC), 2, zeros))
                .canary(1, 2, 0.25, 1)
                .served();
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_loop_policy_version{loop=\"home\"} 1.0")
                .contains("counterflow_loop_canary_share{loop=\"home\"} 0.25")
                .contains("counterflow_loop_snapshot_age_seconds{loop=\"home\"}");
        json(201, serving.put("/v1/loops/new", ServingFixture.SPEC));
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_loop_snapshot_age_seconds{loop=\"new\"} NaN");
    }

    @Test
    void theTwoPortsServeDifferentCalls() {
        assertThat(serving.get("/metrics").statusCode()).isEqualTo(404);
        assertThat(serving.get("/readyz").statusCode()).isEqualTo(404);
        problem(404, "not-found", "", serving.manage("/v1/loops"));
    }

    @Test
    void callsWaitForThePoliciesButPagesDoNot() {
        serving.setCaughtUp(false);
        HttpResponse<String> early = serving.get("/v1/loops/home");
        problem(503, "not-ready", "", early);
        assertThat(early.headers().firstValue("retry-after")).hasValue("1");
        assertThat(serving.get("/").statusCode()).isEqualTo(200);
    }
}
