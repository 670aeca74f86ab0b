package io.counterflow.serving.stats;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
public final class StatsEndpointsIT {

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    public static IpsWindowRecord window(String loop, long n) {
        PolicyEstimateRecord estimate = new PolicyEstimateRecord();
        estimate.setPolicy(JudgedPolicyRecord.UNKNOWN);
        estimate.setVersion(3L);
        estimate.setN(n);
        estimate.setIps(0.25);
        estimate.setMaxWeight(Double.POSITIVE_INFINITY);
        IpsWindowRecord window = new IpsWindowRecord();
        window.setLoop(loop);
        window.setPolicyVersion(2);
        window.setWindowStart(Instant.parse("2026-01-01T00:00:00Z"));
        window.setWindowEnd(Instant.parse("2026-01-01T00:05:00Z"));
        window.setN(n);
        window.setOnPolicyMean(0.5);
        window.setOnPolicyStandardError(Double.NaN);
        window.setEstimates(List.of(estimate));
        window.setActionCounts(List.of(3L, 7L));
        window.setExpectedActionCounts(List.of(4.0, 6.0));
        window.setAudited(5);
        window.setChangesFound(2);
        return window;
    }

    @Test
    void windowsAreShownWithTheNewestLast() {
        serving.windows().take(window("home", 1));
        serving.windows().take(window("other", 2));
        serving.windows().take(window("home", 3));
        serving.policies().active(0, 1).served();
        JsonNode stats = json(200, serving.get("/v1/loops/home/stats"));
        assertThat(stats.get("loop").asText()).isEqualTo("home");
        assertThat(stats.get("policyVersion").asLong()).isZero();
        assertThat(stats.get("rollout").get("activeVersion").asLong()).isZero();
        assertThat(stats.has("truth")).isFalse();
        assertThat(stats.has("degradedReason")).isFalse();
        assertThat(stats.get("windows")).hasSize(2);
        JsonNode window = stats.get("windows").get(1);
        assertThat(window.get("n").asLong()).isEqualTo(3);
        assertThat(window.get("start").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(window.get("end").asText()).isEqualTo("2026-01-01T00:05:00Z");
        assertThat(window.get("onPolicyMean").asDouble()).isEqualTo(0.5);
        assertThat(window.get("actionCounts").get(1).asLong()).isEqualTo(7);
        assertThat(window.get("expectedActionCounts").get(0).asDouble()).isEqualTo(4.0);
        assertThat(window.get("audited").asLong()).isEqualTo(5);
        assertThat(window.get("changesFound").asLong()).isEqualTo(2);
        assertThat(window.get("estimates").get(0).get("version").asLong()).isEqualTo(3);
        assertThat(window.get("estimates").get(0).get("ips").asDouble()).isEqualTo(0.25);
    }

    @Test
    void theGainOverTheBaselineVersionIsShown() {
        IpsWindowRecord window = window("home", 1);
        window.setHoldout(
                new HoldoutRecord(
                        0L,
                        0.1,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        new MeanRewardRecord(10L, 0.2, 0.1, 0.3),
                        new MeanRewardRecord(90L, 0.5, 0.4, 0.6),
                        0.3,
                        0.1,
                        0.5));
        serving.windows().take(window("home", 2));
        serving.windows().take(window);
        JsonNode windows = json(200, serving.get("/v1/loops/home/stats")).get("windows");
        assertThat(windows.get(0).has("holdout")).isFalse();
        assertThat(windows.get(1).get("holdout").toString())
                .isEqualTo(
                        "{\"version\":0,\"share\":0.1,\"since\":\"2026-01-01T00:00:00Z\","
                                + "\"holdout\":{\"n\":10,\"mean\":0.2,\"lower\":0.1,\"upper\":0.3},"
                                + "\"rest\":{\"n\":90,\"mean\":0.5,\"lower\":0.4,\"upper\":0.6},"
                                + "\"gain\":0.3,\"gainLower\":0.1,\"gainUpper\":0.5}");
    }

    @Test
    void whatIsKnownOfAnApprenticeIsNoEstimate() {
        json(
                201,
                serving.put(
                        "/v1/loops/shop",
                        ServingFixture.SPEC.replace("}", ",\"rewardRange\":[-1,1]}")));
        IpsWindowRecord window = window("shop", 1);
        PolicyEstimateRecord known = window.getEstimates().get(0);
        known.setPolicy(JudgedPolicyRecord.APPRENTICE);
        known.setIps(0.375);
        known.setIpsStandardError(0.125);
        known.setMeanWeight(0.75);
        serving.windows().take(window);
        JsonNode shown = json(200, serving.get("/v1/loops/shop/stats")).get("windows").get(0);
        assertThat(shown.get("estimates")).isEmpty();
        assertThat(shown.get("apprentice").toString())
                .isEqualTo(
                        "{\"version\":%d,\"n\":%d,\"agreement\":0.75,\"lowestValue\":-0.25,\"lowestValueStandardError\":0.25,\"highestValue\":0.25}"
                                .formatted(known.getVersion(), known.getN()));
    }

    @Test
    void rewardsAreShownInTheUnitOfTheLoop() {
        json(
                201,
                serving.put(
                        "/v1/loops/shop",
                        ServingFixture.SPEC.replace("}", ",\"rewardRange\":[-10,30]}")));
        IpsWindowRecord window = window("shop", 1);
        window.setOnPolicyStandardError(0.125);
        window.setHoldout(
                new HoldoutRecord(
                        0L,
                        0.1,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        new MeanRewardRecord(10L, 0.25, 0.125, 0.5),
                        new MeanRewardRecord(90L, 0.5, 0.25, 0.75),
                        0.25,
                        -0.125,
                        0.625));
        serving.windows().take(window);
        JsonNode shown = json(200, serving.get("/v1/loops/shop/stats")).get("windows").get(0);
        assertThat(shown.get("onPolicyMean").asDouble()).isEqualTo(10.0);
        assertThat(shown.get("onPolicyStandardError").asDouble()).isEqualTo(5.0);
        assertThat(shown.get("estimates").get(0).get("ips").asDouble()).isZero();
        assertThat(shown.get("holdout").toString())
                .endsWith(
                        "\"holdout\":{\"n\":10,\"mean\":0.0,\"lower\":-5.0,\"upper\":10.0},"
                                + "\"rest\":{\"n\":90,\"mean\":10.0,\"lower\":0.0,\"upper\":20.0},"
                                + "\"gain\":10.0,\"gainLower\":-5.0,\"gainUpper\":25.0}");
    }

    @Test
    void numbersThatAreNotFiniteAreLeftOut() {
        serving.windows().take(window("home", 1));
        JsonNode window = json(200, serving.get("/v1/loops/home/stats")).get("windows").get(0);
        assertThat(window.has("onPolicyStandardError")).isFalse();
        assertThat(window.get("estimates").get(0).has("maxWeight")).isFalse();
    }

    @Test
    void trueValuesAreShownForSimulatedTraffic() {
        json(201, serving.put("/v1/loops/simulated", ServingFixture.SPEC));
        JsonNode truth = json(200, serving.get("/v1/loops/simulated/stats")).get("truth");
        assertThat(truth.get("best").asDouble()).isEqualTo(0.9);
        assertThat(truth.get("uniform").asDouble()).isEqualTo(0.3);
        assertThat(truth.get("versions").get("2").asDouble()).isEqualTo(0.5);
    }

    @Test
    void aDegradedLoopSaysWhy() {
        serving.policies().active(9, 1).served();
        assertThat(json(200, serving.get("/v1/loops/home/stats")).get("degradedReason").asText())
                .contains("9");
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody/stats"));
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody/stream"));
    }

    private HttpResponse<Stream<String>> stream() {
        HttpResponse<Stream<String>> response =
                serving.send(
                        serving.request("/v1/loops/home/stream").GET().build(),
                        HttpResponse.BodyHandlers.ofLines());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream");
        return response;
    }

    private static String next(Iterator<String> lines, String event) {
        while (!lines.next().equals("event: " + event)) {
            // events of other kinds
        }
        String data = lines.next();
        assertThat(data).startsWith("data: {");
        return data;
    }

    @Test
    void aStreamStartsWithTheRolloutAndThePipeline() {
        serving.policies().active(0, 1).served();
        try (Stream<String> body = stream().body()) {
            Iterator<String> lines = body.iterator();
            assertThat(lines.next()).isEqualTo(":");
            assertThat(next(lines, "rollout")).contains("\"activeVersion\":0");
            assertThat(next(lines, "pipeline")).contains("\"loop\":\"home\"");
        }
    }

    @Test
    void aStreamSendsTheWindowsAndRolloutsOfItsLoop() {
        try (Stream<String> body = stream().body()) {
            Iterator<String> lines = body.iterator();
            next(lines, "pipeline");
            serving.windows().take(window("other", 1));
            serving.windows().take(window("home", 42));
            assertThat(next(lines, "window")).contains("\"n\":42");
            json(201, serving.put("/v1/loops/other", ServingFixture.SPEC));
            serving.policies().active(0, 1).served();
            assertThat(next(lines, "rollout")).contains("\"sequence\":1");
        }
    }

    @Test
    void otherTokensEndTheStreamsAndNewOnesAreServed() {
        try (Stream<String> body = stream().body()) {
            Iterator<String> lines = body.iterator();
            next(lines, "pipeline");
            serving.changeTokens();
            lines.forEachRemaining(line -> {}); // until the end
        }
        try (Stream<String> body = stream().body()) {
            assertThat(next(body.iterator(), "pipeline")).contains("\"loop\":\"home\"");
        }
    }

    @Test
    void aLoopThatIsCreatedAgainHasNoWindowsOfTheDeletedOne() {
        serving.windows().take(window("home", 1));
        assertThat(json(200, serving.get("/v1/loops/home/stats")).get("windows")).hasSize(1);
        assertThat(serving.delete("/v1/loops/home").statusCode()).isEqualTo(204);
        json(201, serving.put("/v1/loops/home", ServingFixture.SPEC));
        assertThat(json(200, serving.get("/v1/loops/home/stats")).get("windows")).isEmpty();
    }

    @Test
    void stoppingEndsTheStreamsAndRefusesNewOnes() {
        try (Stream<String> body = stream().body()) {
            Iterator<String> lines = body.iterator();
            next(lines, "pipeline");
            serving.stop();
            List<String> rest = new ArrayList<>();
            lines.forEachRemaining(rest::add);
            assertThat(rest).as("the stream ends").doesNotContain("event: window");
        }
        problem(503, "stopping", "", serving.get("/v1/loops/home/stream"));
    }
}
