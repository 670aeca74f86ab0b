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
