package io.counterflow.serving.rank;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RankEndpointsIT {

    private static final String PATH = "/v1/loops/home/rank";
    private static final String REQUEST = "{\"eventId\":\"e-1\",\"context\":{\"dense\":[0.5,1.0]}}";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private List<ImpressionRecord> impressions() {
        return serving.topics().records(Topic.IMPRESSIONS, ImpressionRecord.class);
    }

    private static final String SLOTS = "/v1/loops/home/rank-slots";

    @Test
    void everySlotOfAPageGetsAnotherActionAndAnImpression() {
        JsonNode answer =
                json(
                        200,
                        serving.post(
                                SLOTS,
                                """
                                {"eventId":"p-1","context":{"dense":[0.5,1.0]},"excludedActions":["b"],
                                 "slots":[{"id":"top"},{"id":"side","features":null}]}
                                """));
        assertThat(answer.get("eventId").asText()).isEqualTo("p-1");
        JsonNode top = answer.get("slots").get(0);
        JsonNode side = answer.get("slots").get(1);
        assertThat(top.get("id").asText()).isEqualTo("top");
        assertThat(top.get("eventId").asText()).isEqualTo("p-1:top");
        assertThat(top.get("propensity").asDouble()).isEqualTo(0.5);
        assertThat(side.get("propensity").asDouble()).isEqualTo(1.0);
        assertThat(List.of(top.get("actionId").asText(), side.get("actionId").asText()))
                .containsExactlyInAnyOrder("a", "c");
        assertThat(side.get("logged").asBoolean()).isTrue();
        assertThat(impressions())
                .extracting(ImpressionRecord::getEventId)
                .containsExactly("p-1:top", "p-1:side");
        assertThat(impressions().get(1).getExcludedActions()).hasSize(2);
        json(202, serving.post("/v1/loops/home/events/p-1:side/reward", "{\"value\":1}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    []                                    | slots must have between 1 and 20 entries, got 0
                    7                                     | slots must be an array
                    ["top"]                               | slots[0] must be an object
                    [{}]                                  | slots[0].id must have 1 to 64 letters
                    [{"id":"a"},{"id":"a"}]               | slots[1].id must be unique
                    [{"id":"a","place":1}]                | slots[0] must have id, features, excludedActions and baselineAction
                    [{"id":"a","excludedActions":["x"]}]  | slots[0]: excludedActions must be ids of actions
                    [{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}] | slots must not be more than the 3 actions
                    """)
    void aRefusalNamesTheSlot(String slots, String detail) {
        problem(
                400,
                "bad-request",
                detail,
                serving.post(SLOTS, "{\"context\":{\"dense\":[0.5,1.0]},\"slots\":" + slots + "}"));
        assertThat(impressions()).isEmpty();
    }

    @Test
    void slotsBelongToTheirOwnCall() {
        problem(
                400,
                "bad-request",
                "slots is not a field of this request",
                serving.post(
                        PATH, "{\"context\":{\"dense\":[0.5,1.0]},\"slots\":[{\"id\":\"a\"}]}"));
    }

    @Test
    void aPageThatIsNotLoggedIsRefusedWithItsEventId() {
        serving.topics().setAvailable(false);
        JsonNode problem =
                problem(
                        503,
                        "not-logged",
                        "ask again with this eventId",
                        serving.post(
                                SLOTS,
                                "{\"eventId\":\"p-1\",\"context\":{\"dense\":[0.5,1.0]},"
                                        + "\"slots\":[{\"id\":\"top\"},{\"id\":\"side\"}]}"));
        assertThat(problem.get("eventId").asText()).isEqualTo("p-1");
    }

    @Test
    void theImpressionHoldsTheAnsweredDecision() {
        JsonNode answer =
                json(
                        200,
                        serving.post(
                                PATH,
                                "{\"eventId\":\"e-1\",\"context\":{\"dense\":[0.5,1.0]},"
                                        + "\"excludedActions\":[\"b\"],\"deferActivation\":true}"));
        assertThat(answer.get("eventId").asText()).isEqualTo("e-1");
        assertThat(answer.get("loop").asText()).isEqualTo("home");
        assertThat(answer.get("policyVersion").asLong()).isZero();
        assertThat(answer.get("actionId").asText()).isIn("a", "c");
        assertThat(answer.get("propensity").asDouble()).isEqualTo(0.5);
        assertThat(answer.get("propensityKind").asText()).isEqualTo("exact");
        assertThat(answer.get("logged").asBoolean()).isTrue();
        assertThat(answer.get("ranking").get(0).get("id")).isEqualTo(answer.get("actionId"));
        assertThat(answer.get("ranking").get(2).get("id").asText()).isEqualTo("b");
        assertThat(answer.get("ranking").get(2).get("probability").asDouble()).isZero();

        assertThat(serving.topics().keys(Topic.IMPRESSIONS)).containsExactly("e-1");
        ImpressionRecord impression = impressions().get(0);
        assertThat(impression.getLoop()).isEqualTo("home");
        assertThat(impression.getAction()).isEqualTo(answer.get("action").asInt());
        assertThat(impression.getPropensity()).isEqualTo(answer.get("propensity").asDouble());
        assertThat(impression.getDistribution()).containsExactly(0.5, 0.0, 0.5);
        assertThat(impression.getExcludedActions()).containsExactly(1);
        assertThat(impression.getSpecVersion()).isEqualTo(1);
        assertThat(impression.getTime()).isEqualTo(ServingFixture.NOW);
        assertThat(impression.getDeferred()).isTrue();
    }

    @Test
    void theSameEventGetsTheSameAnswer() {
        String first = serving.post(PATH, REQUEST).body();
        for (int i = 0; i < 3; i++) {
            assertThat(serving.post(PATH, REQUEST).body()).isEqualTo(first);
        }
    }

    @Test
    void anEventWithoutAnIdGetsANewOne() {
        String body = "{\"context\":{\"dense\":[0.5,1.0]}}";
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(json(200, serving.post(PATH, body)).get("eventId").asText());
        }
        assertThat(ids).doesNotHaveDuplicates().allSatisfy(id -> assertThat(id).hasSize(36));
        assertThat(serving.topics().keys(Topic.IMPRESSIONS)).isEqualTo(ids);
    }

    @Test
    void thePublishedPolicyDecidesAndTheLikelierActionComesFirst() {
        DenseModel model =
                new DenseModel(new float[][] {{0, 0}, {1, 1}, {9, 9}}, new float[] {0, 0, 0});
        serving.policies()
                .snapshot(PolicyStoreFixture.snapshot(spec(), 4, model))
                .active(4, 1)
                .served();
        JsonNode answer =
                json(
                        200,
                        serving.post(
                                PATH,
                                "{\"context\":{\"dense\":[1,1]},\"excludedActions\":[\"c\"]}"));
        assertThat(answer.get("policyVersion").asLong()).isEqualTo(4);
        assertThat(impressions().get(0).getPolicyVersion()).isEqualTo(4);
        List<Double> others = new ArrayList<>();
        for (int i = 1; i < answer.get("ranking").size(); i++) {
            others.add(answer.get("ranking").get(i).get("probability").asDouble());
        }
        assertThat(others).isSortedAccordingTo((x, y) -> Double.compare(y, x));
    }

    private static LoopSpec spec() {
        return PolicyStoreFixture.spec(1, ServingFixture.SPEC);
    }

    @Test
    void aLargeBodyGetsTheSameAnswerAsASmallOne() {
        String large = REQUEST.replace("0.5", "0.5" + " ".repeat(100_000));
        assertThat(serving.post(PATH, large).body()).isEqualTo(serving.post(PATH, REQUEST).body());
        problem(
                400,
                "bad-request",
                "context",
                serving.post(PATH, large.replace("1.0]", "1.0,2.0]")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                                      | must be a JSON object, got nothing
                    {                                                       | must be JSON
                    []                                                      | must be a JSON object
                    {} x                                                    | must be one JSON object
                    {}                                                      | context
                    {"context":{}}                                          | context
                    {"context":{"dense":[1]}}                               | context
                    {"context":{"dense":[NaN,1]}}                           | must be JSON
                    {"context":{"dense":[1e999,1]}}                         | context.dense
                    {"context":{"dense":[1,1]},"eventId":""}                | eventId
                    {"context":{"dense":[1,1]},"eventId":7}                 | eventId
                    {"context":{"dense":[1,1]},"eventId":"a","eventId":"b"} | eventId
                    {"context":{"dense":[1,1]},"excludedActions":{}}        | excludedActions
                    {"context":{"dense":[1,1]},"excludedActions":["z"]}     | excludedActions
                    {"context":{"dense":[1,1]},"deferActivation":"yes"}     | deferActivation
                    {"context":{"dense":[1,1]},"surprise":1}                | surprise
                    {"context":{"dense":[1,1]},"actions":[{"id":"a"}]}      | actions
                    """)
    void aRefusalNamesTheField(String body, String field) {
        problem(400, "bad-request", field, serving.post(PATH, body));
        assertThat(impressions()).isEmpty();
    }

    @Test
    void anEventIdMustHaveAtMost512Characters() {
        String id = "e".repeat(513);
        problem(
                400,
                "bad-request",
                "eventId must have between 1 and 512 characters, got 513",
                serving.post(PATH, REQUEST.replace("e-1", id)));
    }

    @Test
    void allActionsExcludedIsRefused() {
        problem(
                400,
                "bad-request",
                "",
                serving.post(
                        PATH, REQUEST.replace("}}", "},\"excludedActions\":[\"a\",\"b\",\"c\"]}")));
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(404, "unknown-loop", "\"nobody\"", serving.post("/v1/loops/nobody/rank", REQUEST));
    }

    @Test
    void aDecisionThatIsNotLoggedIsRefusedWithItsEventId() {
        serving.topics().setAvailable(false);
        HttpResponse<String> response = serving.post(PATH, REQUEST);
        JsonNode problem = problem(503, "not-logged", "eventId", response);
        assertThat(problem.get("eventId").asText()).isEqualTo("e-1");
        assertThat(response.headers().firstValue("retry-after")).hasValue("1");
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_decisions_unlogged_total{outcome=\"refused\"} 1.0");
    }

    private List<RetractionRecord> retractions() {
        return serving.topics().records(Topic.IMPRESSIONS, RetractionRecord.class);
    }

    /** Sends a rank, and waits until it is stored. It is not acknowledged. */
    private CompletableFuture<HttpResponse<String>> rankHeld() throws InterruptedException {
        serving.topics().setHolding(true);
        CompletableFuture<HttpResponse<String>> response =
                CompletableFuture.supplyAsync(() -> serving.post(PATH, REQUEST));
        awaitImpression();
        serving.topics().setHolding(false);
        return response;
    }

    private void awaitImpression() throws InterruptedException {
        assertThat(serving.topics().await(1, Topic.IMPRESSIONS, ImpressionRecord.class)).hasSize(1);
    }

    @Test
    void aDecisionThatKafkaStoredTooLateIsRetracted() throws InterruptedException {
        CompletableFuture<HttpResponse<String>> response = rankHeld();
        serving.topics().timeOut();

        problem(503, "not-logged", "does not count", response.join());
        assertThat(retractions())
                .containsExactly(
                        new RetractionRecord("e-1", "home", impressions().get(0).getTime()));
    }

    @Test
    void aDecisionThatIsAcknowledgedLateButInTimeIsNotRetracted() throws InterruptedException {
        CompletableFuture<HttpResponse<String>> response = rankHeld();
        serving.topics().acknowledge();

        json(200, response.join());
        assertThat(retractions()).isEmpty();
    }

    @Test
    void aDecisionWhoseCallerHasLeftIsRetracted() throws IOException, InterruptedException {
        serving.topics().setHolding(true);
        try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), serving.port())) {
            caller.setSoLinger(true, 0); // closing resets the connection
            caller.getOutputStream()
                    .write(
                            ("POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                                            + "content-length: %d\r\n\r\n%s")
                                    .formatted(PATH, REQUEST.length(), REQUEST)
                                    .getBytes(StandardCharsets.UTF_8));
            awaitImpression();
        }
        serving.topics().setHolding(false);
        // The event loop handles these after it has seen the reset.
        json(200, serving.get("/v1/loops"));
        json(200, serving.get("/v1/loops"));
        serving.topics().acknowledge();

        assertThat(serving.topics().await(1, Topic.IMPRESSIONS, RetractionRecord.class)).hasSize(1);
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_decisions_undelivered_total 1.0");
    }

    @Test
    void aLoopMayAnswerDecisionsThatAreNotLogged() {
        json(
                201,
                serving.put(
                        "/v1/loops/lenient",
                        ServingFixture.SPEC.replace("}", ",\"unloggedDecision\":\"answer\"}")));
        serving.topics().setAvailable(false);
        JsonNode answer = json(200, serving.post("/v1/loops/lenient/rank", REQUEST));
        assertThat(answer.get("logged").asBoolean()).isFalse();
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_decisions_unlogged_total{outcome=\"answered\"} 1.0");
    }

    @Test
    void aLoopOfHashedFeaturesTakesItsActionsFromTheRequest() {
        json(201, serving.put("/v1/loops/hashed", "{\"bits\":10}"));
        String path = "/v1/loops/hashed/rank";
        String context = "\"context\":{\"features\":{\"hour\":7,\"device\":\"phone\"}}";
        JsonNode answer =
                json(
                        200,
                        serving.post(
                                path,
                                "{" + context + ",\"actions\":[{\"id\":\"x\"},{\"id\":\"y\"}]}"));
        assertThat(answer.get("ranking").findValuesAsText("id"))
                .containsExactlyInAnyOrder("x", "y");
        problem(
                400,
                "bad-request",
                "actions must be given",
                serving.post(path, "{" + context + "}"));
        problem(
                400,
                "bad-request",
                "actions",
                serving.post(
                        path, "{" + context + ",\"actions\":[{\"id\":\"x\"},{\"id\":\"x\"}]}"));
    }

    @Test
    void moreFeaturesThanTheLoopAllowsAreRefused() {
        json(201, serving.put("/v1/loops/hashed", "{\"bits\":10,\"featureLimit\":8}"));
        String request =
                "{\"context\":{\"features\":{\"u\":[1,1,1]}},\"actions\":[{\"id\":\"x\"},{\"id\":\"y\"}%s]}";
        json(200, serving.post("/v1/loops/hashed/rank", request.formatted("")));
        problem(
                400,
                "bad-request",
                "at most 8 features with all interactions (featureLimit), got 12",
                serving.post("/v1/loops/hashed/rank", request.formatted(",{\"id\":\"z\"}")));
        assertThat(impressions()).hasSize(1);
    }

    @Test
    void messagesNeverQuoteFeatures() {
        HttpResponse<String> response =
                serving.post(PATH, "{\"context\":{\"features\":{\"name\":\"Ada Lovelace\"}}}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).doesNotContain("Ada");
        assertThat(serving.log()).doesNotContain("Ada");
    }
}
