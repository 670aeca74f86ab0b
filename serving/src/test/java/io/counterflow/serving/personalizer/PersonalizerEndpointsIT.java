package io.counterflow.serving.personalizer;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.personalizerError;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PersonalizerEndpointsIT {

    private static final String RANK = "/personalizer/v1.0/rank";
    private static final String REQUEST =
            """
            {"contextFeatures":[{"hour":7},{"device":"phone"}],
             "actions":[{"id":"pasta","features":[{"taste":"salty"},{"kcal":500}]},
                        {"id":"salad","features":[]},{"id":"soup"}],
             "excludedActions":["soup"],"eventId":"p-1","deferActivation":true}
            """;

    private final ServingFixture serving = ServingFixture.start("serving.personalizer-loop: food");

    @BeforeEach
    void create() {
        json(201, serving.put("/v1/loops/food", "{\"bits\":10}"));
    }

    @AfterEach
    void close() {
        serving.close();
    }

    @Test
    void aDecisionHasTheShapeOfPersonalizer() {
        HttpResponse<String> response = serving.post(RANK, REQUEST);
        JsonNode answer = json(201, response);
        assertThat(answer.get("eventId").asText()).isEqualTo("p-1");
        assertThat(answer.get("rewardActionId").asText()).isIn("pasta", "salad");
        assertThat(answer.get("ranking").get(0).get("id")).isEqualTo(answer.get("rewardActionId"));
        assertThat(answer.get("ranking").get(0).get("probability").asDouble()).isEqualTo(0.5);
        assertThat(answer.get("ranking").findValuesAsText("id"))
                .containsExactlyInAnyOrder("pasta", "salad", "soup");
        assertThat(response.headers().firstValue("counterflow-logged")).isEmpty();
        ImpressionRecord impression =
                serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class).get(0);
        assertThat(impression.getLoop()).isEqualTo("food");
        assertThat(impression.getEventId()).isEqualTo("p-1");
        assertThat(impression.getDeferred()).isTrue();
    }

    @Test
    void featuresInSeveralObjectsAreOneContext() {
        String split =
                "{\"contextFeatures\":[{\"a\":1},{\"b\":2}],\"actions\":[{\"id\":\"x\"}],"
                        + "\"eventId\":\"same\"}";
        String joined = split.replace("},{\"b\"", ",\"b\"");
        json(201, serving.post(RANK, split));
        json(201, serving.post(RANK, joined));
        List<ImpressionRecord> impressions =
                serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class);
        assertThat(impressions.get(0)).isEqualTo(impressions.get(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                                                   | actions must be at least 1
                    {"actions":[]}                                       | actions must be at least 1
                    {"actions":{}}                                       | actions must be an array
                    {"actions":[1]}                                      | actions[0]
                    {"actions":[{"id":7}]}                               | actions[0].id
                    {"actions":[{"id":""}]}                              | id
                    {"actions":[{"features":[{"x":1}]}]}                 | id
                    {"actions":[{"id":"a"},{"id":"a"}]}                  | actions
                    {"actions":[{"id":"a","features":{"x":1}}]}          | actions[0].features
                    {"actions":[{"id":"a"}],"contextFeatures":{"x":1}}   | contextFeatures
                    {"actions":[{"id":"a"}],"contextFeatures":[1]}       | contextFeatures
                    {"actions":[{"id":"a"}],"eventId":""}                | eventId
                    {"actions":[{"id":"a"}],"excludedActions":["b"]}     | excludedActions
                    {"actions":[{"id":"a"}],"deferActivation":1}         | deferActivation
                    {"actions":[{"id":"a"}],"unknown":1}                 | unknown
                    """)
    void aRefusalNamesTheField(String body, String detail) {
        personalizerError(400, "bad-request", detail, serving.post(RANK, body));
    }

    @Test
    void moreFeaturesThanTheLoopAllowsAreRefused() {
        json(200, serving.put("/v1/loops/food", "{\"bits\":10,\"featureLimit\":8}"));
        personalizerError(400, "bad-request", "at most 8 features", serving.post(RANK, REQUEST));
        assertThat(serving.topics().keys(Topic.IMPRESSIONS)).isEmpty();
    }

    @Test
    void aDecisionThatIsNotLoggedIsMarkedOrRefused() {
        serving.topics().setAvailable(false);
        HttpResponse<String> refused = serving.post(RANK, REQUEST);
        JsonNode error = personalizerError(503, "not-logged", "eventId", refused);
        assertThat(error.get("code").asText()).isEqualTo("503");
        assertThat(error.get("target").asText()).isEqualTo("p-1");
        assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
        serving.topics().setAvailable(true);
        json(200, serving.put("/v1/loops/food", "{\"bits\":10,\"unloggedDecision\":\"answer\"}"));
        serving.topics().setAvailable(false);
        HttpResponse<String> marked = serving.post(RANK, REQUEST);
        json(201, marked);
        assertThat(marked.headers().firstValue("counterflow-logged")).hasValue("false");
    }

    @Test
    void rewardsAndActivationsAnswerWithoutABody() {
        HttpResponse<String> reward =
                serving.post("/personalizer/v1.0/events/p-1/reward", "{\"value\":0.75}");
        assertThat(reward.statusCode()).as(reward.body()).isEqualTo(204);
        assertThat(reward.body()).isEmpty();
        HttpResponse<String> activation =
                serving.post("/personalizer/v1.0/events/p-1/activate", "");
        assertThat(activation.statusCode()).isEqualTo(204);
        RewardRecord written = serving.topics().records(Topic.REWARDS, RewardRecord.class).get(0);
        assertThat(written.getLoop()).isEqualTo("food");
        assertThat(written.getEventId()).isEqualTo("p-1");
        assertThat(written.getValue()).isEqualTo(0.75);
        assertThat(serving.topics().records(Topic.REWARDS, ActivationRecord.class)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                          | value must be given
                    {"value":2}                 | value
                    {"value":true}              | value
                    {"value":1,"rewardId":"r"}  | rewardId
                    """)
    void aRewardsRefusalNamesTheField(String body, String detail) {
        personalizerError(
                400,
                "bad-request",
                detail,
                serving.post("/personalizer/v1.0/events/p-1/reward", body));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.0", "v1.1-preview.3", "v1.1-preview.1", "v1.99"})
    void everyVersionOfTheApiHasTheCalls(String version) {
        String path = "/personalizer/" + version;
        json(201, serving.post(path + "/rank?api-version=2022-09-01-preview", REQUEST));
        assertThat(serving.post(path + "/events/p-1/reward", "{\"value\":1}").statusCode())
                .isEqualTo(204);
        assertThat(serving.post(path + "/events/p-1/activate", "").statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2.0", "v1", "v1.", "v1.x", "1.0", "V1.0", "v1.0%2F", "v1.0%00"})
    void otherVersionsDoNotExist(String version) {
        JsonNode error =
                personalizerError(
                        404,
                        "not-found",
                        "nothing at this path",
                        serving.post("/personalizer/" + version + "/rank", REQUEST));
        assertThat(error.get("code").asText()).isEqualTo("ResourceNotFound");
    }

    @Test
    void callsThatDoNotExistHaveErrorsOfTheSameForm() {
        personalizerError(404, "not-found", "", serving.get("/personalizer/v1.0/evaluations"));
        personalizerError(405, "method-not-allowed", "POST", serving.get(RANK));
    }

    @Test
    void namesWithAnUnderscoreAreIgnoredAndNullIsText() {
        String sent =
                """
                {"contextFeatures":[{"_id":"u-7","device":null,"user":{"_mail":[{"x":1}],"age":3}},
                                    {"user":{"plan":"free"},"device":"phone"},{"_":{"deep":1}}],
                 "actions":[{"id":"x","features":[{"_sku":7,"sizes":[1,null,2]}]}],"eventId":"e"}
                """;
        String meant =
                """
                {"context":{"features":{"device":"null","user":{"age":3}}},
                 "actions":[{"id":"x","features":{"sizes":[1,2]}}],"eventId":"e"}
                """;
        json(201, serving.post(RANK, sent));
        ImpressionRecord impression =
                serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class).get(0);
        assertThat(impression.toString())
                .contains("plan", "phone")
                .doesNotContain("u-7", "_", "deep", "sku");
        json(
                201,
                serving.post(
                        RANK,
                        sent.replace("{\"user\":{\"plan\":\"free\"},\"device\":\"phone\"}", "{}")));
        json(200, serving.post("/v1/loops/food/rank", meant));
        List<ImpressionRecord> impressions =
                serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class);
        assertThat(impressions.get(1)).isEqualTo(impressions.get(2));
    }

    @Test
    void withoutALoopForThemTheCallsSayHowToSetOne() {
        try (ServingFixture other = ServingFixture.start()) {
            personalizerError(
                    404, "unknown-loop", "serving.personalizer-loop", other.post(RANK, REQUEST));
        }
    }

    @Test
    void aLoopThatDoesNotExistYetIsNamed() {
        try (ServingFixture other = ServingFixture.start("serving.personalizer-loop: later")) {
            personalizerError(404, "unknown-loop", "\"later\"", other.post(RANK, REQUEST));
        }
    }
}
