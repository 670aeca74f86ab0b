package io.counterflow.serving.policies;

import static io.counterflow.serving.ServingFixture.SPEC;
import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.Stage;
import io.counterflow.serving.ServingFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyEndpointsIT {

    private static final String PATH = "/v1/loops/home/policies";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private void publish(int versions) {
        for (int version = 1; version <= versions; version++) {
            serving.policies()
                    .snapshot(
                            PolicyStoreFixture.snapshot(
                                    PolicyStoreFixture.spec(1, SPEC),
                                    version,
                                    DenseModel.zeros(3, 2)));
        }
        serving.policies().served();
    }

    private static List<Long> versions(JsonNode answer) {
        List<Long> versions = new ArrayList<>();
        answer.get("policies").forEach(it -> versions.add(it.get("version").asLong()));
        return versions;
    }

    @Test
    void aNewLoopHasItsStartingPolicyOnly() {
        JsonNode answer = json(200, serving.get(PATH));
        assertThat(answer.get("loop").asText()).isEqualTo("home");
        assertThat(answer.get("startingVersion").asLong()).isZero();
        assertThat(answer.has("rollout")).isFalse();
        assertThat(answer.get("history")).isEmpty();
        assertThat(versions(answer)).containsExactly(0L);
        JsonNode start = answer.get("policies").get(0);
        assertThat(start.get("role").asText()).isEqualTo("active");
        assertThat(start.get("share").asDouble()).isEqualTo(1.0);
        assertThat(start.has("snapshot")).isFalse();
        assertThat(json(200, serving.get(PATH + "/0"))).isEqualTo(start);
    }

    @Test
    void versionsHaveRolesSharesAndTheRollout() {
        publish(4);
        serving.policies()
                .rollout(
                        new Rollout(
                                Stage.CANARY,
                                3,
                                OptionalLong.of(4),
                                List.of(),
                                OptionalLong.of(2),
                                0.2,
                                true,
                                Optional.empty()),
                        1)
                .served();
        JsonNode answer = json(200, serving.get(PATH));
        assertThat(versions(answer)).containsExactly(4L, 3L, 2L, 1L, 0L);
        assertThat(answer.get("policies").findValuesAsText("role"))
                .containsExactly("candidate", "active", "previous", "none", "none");
        List<Double> shares = new ArrayList<>();
        answer.get("policies").forEach(it -> shares.add(it.get("share").asDouble()));
        assertThat(shares).containsExactly(0.2, 0.8, 0.0, 0.0, 0.0);

        JsonNode rollout = answer.get("rollout");
        assertThat(rollout.get("sequence").asLong()).isEqualTo(1);
        assertThat(rollout.get("kind").asText()).isEqualTo("promoted");
        assertThat(rollout.get("stage").asText()).isEqualTo("canary");
        assertThat(rollout.get("activeVersion").asLong()).isEqualTo(3);
        assertThat(rollout.get("candidateVersion").asLong()).isEqualTo(4);
        assertThat(rollout.get("previousVersion").asLong()).isEqualTo(2);
        assertThat(rollout.get("share").asDouble()).isEqualTo(0.2);
        assertThat(rollout.get("mode").asText()).isEqualTo("manual");
        assertThat(rollout.get("paused").asBoolean()).isTrue();
        assertThat(rollout.get("specVersion").asLong()).isEqualTo(1);
        assertThat(rollout.get("reason").asText()).isEqualTo("told");
        assertThat(rollout.has("commandId")).isFalse();
        assertThat(rollout.has("candidateLowerBound")).isFalse();
        assertThat(answer.get("history")).hasSize(1);
        assertThat(answer.get("history").get(0)).isEqualTo(rollout);
    }

    @Test
    void registeredVersionsAndAClosedGateAreShown() {
        publish(4);
        serving.policies()
                .rollout(
                        new Rollout(
                                Stage.SHADOW,
                                1,
                                OptionalLong.of(4),
                                List.of(2L, 3L),
                                OptionalLong.of(0),
                                0.0,
                                false,
                                Optional.of("a logged propensity is an estimate")),
                        1)
                .served();
        JsonNode answer = json(200, serving.get(PATH + "?limit=1"));
        assertThat(versions(answer)).containsExactly(4L, 3L, 2L, 1L, 0L);
        assertThat(answer.get("policies").findValuesAsText("role"))
                .containsExactly("candidate", "registered", "registered", "active", "previous");
        JsonNode rollout = answer.get("rollout");
        assertThat(rollout.get("registeredVersions").toString()).isEqualTo("[2,3]");
        assertThat(rollout.get("closedReason").asText())
                .isEqualTo("a logged propensity is an estimate");
    }

    @Test
    void oneVersionIsShownWithoutItsWeights() {
        publish(2);
        JsonNode version = json(200, serving.get(PATH + "/2"));
        assertThat(version.get("version").asLong()).isEqualTo(2);
        assertThat(version.get("snapshot").get("model").asText()).isEqualTo("dense");
        assertThat(version.toString()).doesNotContain("weights");
    }

    @Test
    void aLimitKeepsTheNewestAndTheVersionsOfTheRollout() {
        publish(12);
        serving.policies().canary(4, 6, 0.25, 1).served();
        assertThat(versions(json(200, serving.get(PATH + "?limit=2"))))
                .containsExactly(12L, 11L, 6L, 4L, 1L, 0L);
        assertThat(versions(json(200, serving.get(PATH)))).hasSize(13);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1001", "x", "-1", "99999", ""})
    void aLimitMustBeANumberFrom1To1000(String limit) {
        problem(
                400,
                "bad-request",
                "limit must be in [1, 1000]",
                serving.get(PATH + "?limit=" + limit));
    }

    @Test
    void anUnknownVersionIsNamed() {
        problem(404, "unknown-version", "version 9", serving.get(PATH + "/9"));
        problem(400, "bad-request", "version must be a whole number", serving.get(PATH + "/x"));
        problem(
                400,
                "bad-request",
                "version must be a whole number",
                serving.get(PATH + "/9999999999999999999"));
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody/policies"));
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody/policies/1"));
    }
}
