package io.counterflow.serving.personalizer;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.personalizerError;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigurationEndpointsIT {

    private static final String SERVICE = "/personalizer/v1.1-preview.3/configurations/service";

    private final ServingFixture serving = ServingFixture.start("serving.personalizer-loop: food");

    @BeforeEach
    void create() {
        json(201, serving.put("/v1/loops/food", "{\"bits\":10,\"holdoutShare\":0.1}"));
    }

    @AfterEach
    void close() {
        serving.close();
    }

    @Test
    void theConfigurationShowsTheSpec() {
        JsonNode shown = json(200, serving.get(SERVICE));
        assertThat(shown.toString())
                .isEqualTo(
                        "{\"rewardWaitTime\":\"PT10M\",\"defaultReward\":0.0,"
                                + "\"rewardAggregation\":\"earliest\","
                                + "\"explorationPercentage\":0.05,"
                                + "\"modelExportFrequency\":\"PT0S\",\"logMirrorEnabled\":false,"
                                + "\"logRetentionDays\":90,"
                                + "\"lastConfigurationEditDate\":\"2026-01-02T00:00:00Z\","
                                + "\"learningMode\":\"Online\","
                                + "\"isAutoOptimizationEnabled\":false}");
    }

    @Test
    void whatIsPutIsTheSpecAndOtherSettingsStay() {
        ObjectNode configuration = (ObjectNode) json(200, serving.get(SERVICE));
        configuration.put("rewardWaitTime", "P1DT2H");
        configuration.put("defaultReward", 0.25);
        configuration.put("rewardAggregation", "Sum");
        configuration.put("explorationPercentage", 0.2);
        configuration.put("modelExportFrequency", "PT5M");
        JsonNode answer = json(200, serving.put(SERVICE, configuration.toString()));
        assertThat(answer.get("rewardWaitTime").asText()).isEqualTo("PT26H");
        assertThat(answer.get("rewardAggregation").asText()).isEqualTo("sum");
        JsonNode loop = json(200, serving.get("/v1/loops/food"));
        JsonNode spec = loop.get("spec");
        assertThat(spec.get("version").asInt()).isEqualTo(2);
        assertThat(spec.get("attributionWindow").asText()).isEqualTo("1d2h");
        assertThat(spec.get("defaultReward").asDouble()).isEqualTo(0.25);
        assertThat(spec.get("rewardAggregation").asText()).isEqualTo("sum");
        assertThat(spec.get("explorationFloor").asDouble()).isEqualTo(0.2);
        assertThat(spec.get("snapshotInterval").asText()).isEqualTo("5m");
        assertThat(spec.get("holdoutShare").asDouble()).isEqualTo(0.1);
        assertThat(json(200, serving.get(SERVICE))).isEqualTo(answer);
    }

    @Test
    void rewardsHaveTheUnitOfTheLoop() {
        assertThat(serving.delete("/v1/loops/food").statusCode()).isEqualTo(204);
        json(
                201,
                serving.put(
                        "/v1/loops/food",
                        "{\"bits\":10,\"rewardRange\":[-1,1],\"defaultReward\":-0.5}"));
        assertThat(json(200, serving.get(SERVICE)).get("defaultReward").asDouble()).isEqualTo(-0.5);
        json(200, serving.put(SERVICE, "{\"defaultReward\":-1}"));
        JsonNode spec = json(200, serving.get("/v1/loops/food")).get("spec");
        assertThat(spec.get("defaultReward").asDouble()).isEqualTo(-1.0);
        String reward = "/personalizer/v1.0/events/e/reward";
        assertThat(serving.post(reward, "{\"value\":-0.5}").statusCode()).isEqualTo(204);
        assertThat(serving.topics().records(Topic.REWARDS, RewardRecord.class))
                .extracting(RewardRecord::getValue)
                .containsExactly(0.25);
        personalizerError(400, "bad-request", "[-1, 1]", serving.post(reward, "{\"value\":-1.5}"));
        personalizerError(
                400, "bad-request", "[-1, 1]", serving.put(SERVICE, "{\"defaultReward\":2}"));
    }

    @Test
    void theSameConfigurationChangesNothing() {
        String shown = json(200, serving.get(SERVICE)).toString();
        assertThat(json(200, serving.put(SERVICE, shown)).toString()).isEqualTo(shown);
        json(200, serving.put(SERVICE, "{\"autoOptimizationFrequency\":\"P7D\"}"));
        assertThat(serving.topics().keys(Topic.LOOPS)).hasSize(1);
    }

    @Test
    void theLearningModeIsTheRolloutMode() {
        personalizerError(
                400,
                "bad-request",
                "holdoutShare must be 0",
                serving.put(SERVICE, "{\"learningMode\":\"Apprentice\"}"));
        json(200, serving.put("/v1/loops/food", "{\"bits\":10,\"rolloutMode\":\"gated\"}"));
        json(200, serving.put(SERVICE, "{\"learningMode\":\"Online\"}"));
        assertThat(rolloutMode()).as("online already").isEqualTo("gated");
        JsonNode apprentice = json(200, serving.put(SERVICE, "{\"learningMode\":\"Apprentice\"}"));
        assertThat(apprentice.get("learningMode").asText()).isEqualTo("Apprentice");
        assertThat(rolloutMode()).isEqualTo("apprentice");
        JsonNode online = json(200, serving.put(SERVICE, "{\"learningMode\":\"Online\"}"));
        assertThat(online.get("learningMode").asText()).isEqualTo("Online");
        assertThat(rolloutMode()).isEqualTo("immediate");
    }

    private String rolloutMode() {
        return json(200, serving.get("/v1/loops/food")).at("/spec/rolloutMode").asText();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    []                                  | object
                    {"rewardWaitTime":"ten"}            | rewardWaitTime must be a duration
                    {"rewardWaitTime":"-PT1S"}          | rewardWaitTime
                    {"rewardWaitTime":"PT0.0001S"}      | rewardWaitTime
                    {"defaultReward":2}                 | defaultReward
                    {"rewardAggregation":"mean"}        | rewardAggregation must be earliest
                    {"explorationPercentage":1.5}       | explorationPercentage
                    {"explorationPercentage":1e999}     | explorationPercentage
                    {"modelExportFrequency":5}          | modelExportFrequency
                    {"logRetentionDays":7}              | kafka.log-retention
                    {"logRetentionDays":90.5}           | logRetentionDays
                    {"learningMode":"LoggingOnly"}      | learningMode
                    {"logMirrorEnabled":true}           | logMirrorEnabled must be false
                    {"isAutoOptimizationEnabled":true}  | isAutoOptimizationEnabled must be false
                    {"epsilon":0.1}                     | epsilon
                    """)
    void aRefusalNamesTheSettingAndWritesNothing(String body, String message) {
        personalizerError(400, "bad-request", message, serving.put(SERVICE, body));
        assertThat(serving.topics().keys(Topic.LOOPS)).hasSize(1);
    }

    @Test
    void aChangeOfAnOlderSpecIsRefusedIfThatIsAsked() {
        JsonNode error =
                personalizerError(
                        412,
                        "precondition-failed",
                        "entity tag",
                        serving.send(
                                serving.request(SERVICE)
                                        .header("if-match", "\"1-0\"")
                                        .PUT(HttpRequest.BodyPublishers.ofString("{}"))
                                        .build()));
        assertThat(error.get("code").asText()).isEqualTo("UpdateConfigurationFailed");
    }

    @Test
    void aLoopThatDoesNotExistIsNotCreated() {
        try (ServingFixture other = ServingFixture.start("serving.personalizer-loop: later")) {
            for (String call : new String[] {"service", "policy"}) {
                personalizerError(
                        404,
                        "unknown-loop",
                        "\"later\"",
                        other.get("/personalizer/v1.0/configurations/" + call));
            }
            personalizerError(404, "unknown-loop", "\"later\"", other.put(SERVICE, "{}"));
        }
    }

    @Test
    void learningSettingsAreThoseOfTheSpec() {
        JsonNode policy =
                json(200, serving.get("/personalizer/v1.1-preview.3/configurations/policy"));
        assertThat(policy.get("name").asText()).isEqualTo("counterflow");
        assertThat(policy.get("arguments").asText())
                .startsWith("--learner best --objective trust-lpr --lambda 1.0E-6")
                .endsWith("--explorationFloor 0.05");
    }
}
