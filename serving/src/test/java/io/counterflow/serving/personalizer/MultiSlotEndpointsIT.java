package io.counterflow.serving.personalizer;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.personalizerError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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

final class MultiSlotEndpointsIT {

    private static final String PATH = "/personalizer/v1.1-preview.3/multislot";
    private static final String REQUEST =
            """
            {"contextFeatures":[{"hour":7}],
             "actions":[{"id":"pasta","features":[{"taste":"salty","_sku":1}]},
                        {"id":"salad","features":[]},{"id":"soup"}],
             "slots":[{"id":"main","features":[{"size":"large"},{"_x":null}],
                       "excludedActions":["soup"],"baselineAction":"salad"},
                      {"id":"side","baselineAction":"pasta"}],
             "eventId":"p-1","deferActivation":true}
            """;

    private final ServingFixture serving = ServingFixture.start("serving.personalizer-loop: food");

    @BeforeEach
    void create() {
        json(201, serving.put("/v1/loops/food", "{\"bits\":10,\"rewardRange\":[-1,1]}"));
    }

    @AfterEach
    void close() {
        serving.close();
    }

    private List<ImpressionRecord> impressions() {
        return serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class);
    }

    private List<ActivationRecord> activations() {
        return serving.topics().records(Topic.REWARDS, ActivationRecord.class);
    }

    @Test
    void everySlotIsADecisionOfItsOwn() {
        HttpResponse<String> response = serving.post(PATH + "/rank", REQUEST);
        JsonNode answer = json(201, response);
        assertThat(answer.fieldNames()).toIterable().containsExactly("slots", "eventId");
        assertThat(answer.get("eventId").asText()).isEqualTo("p-1");
        assertThat(answer.get("slots").findValuesAsText("id")).containsExactly("main", "side");
        assertThat(answer.get("slots").findValuesAsText("rewardActionId"))
                .doesNotHaveDuplicates()
                .isSubsetOf("pasta", "salad", "soup");
        assertThat(answer.at("/slots/0/rewardActionId").asText()).isNotEqualTo("soup");
        assertThat(response.headers().firstValue("counterflow-logged")).isEmpty();
        assertThat(impressions())
                .extracting(
                        ImpressionRecord::getEventId,
                        ImpressionRecord::getLoop,
                        ImpressionRecord::getPropensity,
                        ImpressionRecord::getDeferred)
                .containsExactly(
                        tuple("p-1:main", "food", 0.5, true), tuple("p-1:side", "food", 0.5, true));
        assertThat(impressions().get(0).toString()).contains("large").doesNotContain("_x", "_sku");
    }

    @Test
    void anApprenticeAnswersTheBaselineActions() {
        json(
                200,
                serving.put(
                        "/v1/loops/food",
                        "{\"bits\":10,\"rewardRange\":[-1,1],\"rolloutMode\":\"apprentice\"}"));
        JsonNode answer = json(201, serving.post(PATH + "/rank", REQUEST));
        assertThat(answer.get("slots").findValuesAsText("rewardActionId"))
                .containsExactly("salad", "pasta");
        assertThat(impressions())
                .allMatch(it -> it.getPropensity() == 1.0 && it.getPolicyAction() != null);
    }

    @Test
    void aPageThatIsNotLoggedIsRefusedOrMarked() {
        serving.topics().setAvailable(false);
        JsonNode error =
                personalizerError(503, "not-logged", "", serving.post(PATH + "/rank", REQUEST));
        assertThat(error.get("target").asText()).isEqualTo("p-1");
        serving.topics().setAvailable(true);
        json(
                200,
                serving.put(
                        "/v1/loops/food",
                        "{\"bits\":10,\"rewardRange\":[-1,1],\"unloggedDecision\":\"answer\"}"));
        serving.topics().setAvailable(false);
        HttpResponse<String> marked = serving.post(PATH + "/rank", REQUEST);
        json(201, marked);
        assertThat(marked.headers().firstValue("counterflow-logged")).hasValue("false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    []                                     | slots must have between 1 and 20 entries, got 0
                    7                                      | slots must be an array
                    [1]                                    | slots[0] must be an object
                    [{"features":[]}]                      | slots[0].id must have 1 to 64
                    [{"id":"a b"}]                         | slots[0].id must have 1 to 64
                    [{"id":"a"},{"id":"a"}]                | slots[1].id must be unique
                    [{"id":"a","features":{}}]             | slots[0].features must be an array
                    [{"id":"a","excludedActions":["z"]}]   | slots[0]: excludedActions must be ids
                    [{"id":"a","baselineAction":"z"}]      | slots[0]: baselineAction must be the id
                    [{"id":"a","baselineAction":"salad"},{"id":"b","baselineAction":"salad"}] | slots[1].baselineAction must be unique
                    """)
    void aRefusalNamesTheSlot(String slots, String message) {
        personalizerError(
                400,
                "bad-request",
                message,
                serving.post(
                        PATH + "/rank",
                        "{\"actions\":[{\"id\":\"pasta\"},{\"id\":\"salad\"}],\"slots\":"
                                + slots
                                + "}"));
        assertThat(impressions()).isEmpty();
    }

    @Test
    void slotsBelongToTheirOwnCall() {
        personalizerError(
                400,
                "bad-request",
                "slots is not a field of this request",
                serving.post("/personalizer/v1.0/rank", REQUEST));
    }

    @Test
    void eachSlotHasARewardOfItsOwn() {
        HttpResponse<String> response =
                serving.post(
                        PATH + "/events/p-1/reward",
                        "{\"reward\":[{\"slotId\":\"main\",\"value\":-1},{\"slotId\":\"side\",\"value\":0.5}]}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(204);
        assertThat(serving.topics().records(Topic.REWARDS, RewardRecord.class))
                .extracting(RewardRecord::getEventId, RewardRecord::getValue)
                .containsExactly(tuple("p-1:main", 0.0), tuple("p-1:side", 0.75));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                                                   | reward must have at least 1 entry
                    {"reward":[]}                                        | reward must have at least 1 entry
                    {"reward":1}                                         | reward must be an array
                    {"value":1}                                          | value is not a field
                    {"reward":[{"value":1}]}                             | reward[0].slotId must have 1 to 64
                    {"reward":[{"slotId":"a"}]}                          | reward[0].value must be given
                    {"reward":[{"slotId":"a","value":1,"x":1}]}          | reward[0] must have slotId and value
                    {"reward":[{"slotId":"a","value":1},{"slotId":"a","value":0}]}  | reward[1].slotId must be unique
                    {"reward":[{"slotId":"a","value":1},{"slotId":"b","value":2}]}  | value must be in [-1, 1]
                    """)
    void noRewardIsWrittenIfOneIsRefused(String body, String message) {
        personalizerError(
                400, "bad-request", message, serving.post(PATH + "/events/p-1/reward", body));
        assertThat(serving.topics().records(Topic.REWARDS, RewardRecord.class)).isEmpty();
    }

    @Test
    void anActivationIsOfAllDeferredSlotsOfThePage() {
        json(201, serving.post(PATH + "/rank", REQUEST));
        json(201, serving.post(PATH + "/rank", REQUEST.replace("p-1", "p-1:main")));
        json(201, serving.post(PATH + "/rank", REQUEST.replace("p-1", "p-11")));
        assertThat(serving.post(PATH + "/events/p-1/activate", "").statusCode()).isEqualTo(204);
        assertThat(activations())
                .extracting(ActivationRecord::getEventId, ActivationRecord::getLoop)
                .containsExactlyInAnyOrder(tuple("p-1:main", "food"), tuple("p-1:side", "food"));
    }

    @Test
    void aPageThatIsNotKnownCannotBeActivated() {
        json(201, serving.post(PATH + "/rank", REQUEST.replace("true", "false")));
        for (String page : List.of("p-1", "p-2")) {
            JsonNode error =
                    personalizerError(
                            404,
                            "unknown-event",
                            "one by one",
                            serving.post(PATH + "/events/" + page + "/activate", ""));
            assertThat(error.get("code").asText()).isEqualTo("ResourceNotFound");
        }
        assertThat(activations()).isEmpty();
    }
}
