package io.counterflow.serving.events;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.serving.ServingFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EventEndpointIT {

    private static final String EVENT = "/v1/loops/home/events/e-1";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private JsonNode rank() {
        return json(
                200,
                serving.post(
                        "/v1/loops/home/rank",
                        "{\"eventId\":\"e-1\",\"context\":{\"dense\":[0.5,1.0]}}"));
    }

    private void activate(long version) {
        LoopSpec spec = PolicyStoreFixture.spec(1, ServingFixture.SPEC);
        DenseModel model =
                new DenseModel(
                        new float[][] {{1.0f, 2.0f}, {0.0f, 0.0f}, {-4.0f, 0.0f}},
                        new float[] {0.0f, 0.0f, 0.0f});
        serving.policies()
                .snapshot(PolicyStoreFixture.snapshot(spec, version, model))
                .active(version, 1)
                .served();
    }

    @Test
    void aDecisionIsShownAsLoggedAndExplained() {
        activate(7);
        JsonNode ranked = rank();
        JsonNode event = json(200, serving.get(EVENT));
        JsonNode decision = event.get("decision");
        for (String field : new String[] {"eventId", "loop", "policyVersion", "action"}) {
            assertThat(decision.get(field)).as(field).isEqualTo(ranked.get(field));
        }
        assertThat(decision.get("propensity")).isEqualTo(ranked.get("propensity"));
        assertThat(decision.at("/context/dense/0").asDouble()).isEqualTo(0.5);
        assertThat(event.get("retracted").asBoolean()).isFalse();
        JsonNode actions = event.at("/explanation/actions");
        assertThat(actions).hasSize(3);
        assertThat(actions.get(0).get("id").asText()).isEqualTo("a");
        assertThat(actions.get(0).get("score").asDouble()).isEqualTo(2.5);
        assertThat(actions.get(0).at("/contributions/0/feature").asText())
                .isEqualTo("context.dense[1]");
        assertThat(actions.get(0).at("/contributions/0/value").asDouble()).isEqualTo(2.0);
        assertThat(actions.get(2).get("score").asDouble()).isEqualTo(-2.0);
        assertThat(actions.get(1).get("contributions")).isEmpty();
        double sum = 0.0;
        for (JsonNode action : actions) {
            sum += action.get("probability").asDouble();
        }
        assertThat(sum).isBetween(1.0 - 1e-9, 1.0 + 1e-9);
    }

    @Test
    void aDecisionOfAVersionThatDecidesNoMoreIsNotExplained() {
        activate(7);
        rank();
        activate(8);
        JsonNode event = json(200, serving.get(EVENT));
        assertThat(event.at("/decision/policyVersion").asLong()).isEqualTo(7);
        assertThat(event.has("explanation")).isFalse();
        assertThat(event.get("notExplained").asText())
                .startsWith("version 7 of spec 1 decides no more");
    }

    @Test
    void anUnknownEventIsNotFound() {
        problem(404, "unknown-event", "the newest 10000 decisions", serving.get(EVENT));
        problem(404, "unknown-loop", "", serving.get("/v1/loops/nowhere/events/e-1"));
    }
}
