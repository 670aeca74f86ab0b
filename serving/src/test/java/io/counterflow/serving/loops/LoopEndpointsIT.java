package io.counterflow.serving.loops;

import static io.counterflow.serving.ServingFixture.SPEC;
import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopEndpointsIT {

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private List<LoopSpecRecord> specs() {
        return serving.topics().records(Topic.LOOPS, LoopSpecRecord.class);
    }

    @Test
    void aNewLoopIsWrittenAndServed() {
        JsonNode created = json(201, serving.put("/v1/loops/new", SPEC));
        assertThat(created.get("loop").asText()).isEqualTo("new");
        assertThat(created.get("version").asLong()).isEqualTo(1);
        assertThat(created.get("change").asText()).isEqualTo("created");
        assertThat(created.get("fields")).isEmpty();
        assertThat(specs()).hasSize(1);
        assertThat(specs().get(0).getLoop()).isEqualTo("new");
        assertThat(specs().get(0).getVersion()).isEqualTo(1);

        JsonNode shown = json(200, serving.get("/v1/loops/new"));
        assertThat(shown.get("loop").asText()).isEqualTo("new");
        assertThat(shown.get("specVersion").asLong()).isEqualTo(1);
        assertThat(shown.get("policyVersion").asLong()).isZero();
        assertThat(shown.get("spec").get("features").asInt()).isEqualTo(2);
        assertThat(shown.has("waitingSpec")).isFalse();
        assertThat(shown.has("degradedReason")).isFalse();
    }

    @Test
    void loopsAreListedByName() {
        serving.put("/v1/loops/z", SPEC);
        serving.put("/v1/loops/a", SPEC);
        assertThat(names(serving.get("/v1/loops"))).containsExactly("a", "home", "z");
        serving.delete("/v1/loops/a");
        assertThat(names(serving.get("/v1/loops"))).containsExactly("home", "z");
    }

    private static List<String> names(HttpResponse<String> page) {
        return json(200, page).get("loops").findValuesAsText("loop");
    }

    @Test
    void aPageIsChosenByNameAndPlace() {
        loops("a", "B", "c", "d");
        JsonNode first = json(200, serving.get("/v1/loops?limit=2"));
        assertThat(first.get("loops").findValuesAsText("loop")).containsExactly("B", "a");
        assertThat(first.get("matches").asInt()).isEqualTo(5);
        assertThat(first.get("offset").asInt()).isZero();
        JsonNode last = json(200, serving.get("/v1/loops?limit=2&offset=4"));
        assertThat(last.get("loops").findValuesAsText("loop")).containsExactly("home");
        assertThat(last.get("matches").asInt()).isEqualTo(5);
        assertThat(last.get("offset").asInt()).isEqualTo(4);
        assertThat(names(serving.get("/v1/loops?offset=2147483647"))).isEmpty();
        assertThat(names(serving.get("/v1/loops?limit=0"))).isEmpty();
        JsonNode found = json(200, serving.get("/v1/loops?search=b"));
        assertThat(found.get("loops").findValuesAsText("loop")).containsExactly("B");
        assertThat(found.get("matches").asInt()).isEqualTo(1);
    }

    /** Serves more loops. */
    private void loops(String... names) {
        for (String name : names) {
            serving.policies().spec(PolicyStoreFixture.spec(name, 1, SPEC));
        }
        serving.policies().store().swap();
    }

    @Test
    void aPageHasAtMostAThousandLoops() {
        loops(IntStream.range(0, 1_100).mapToObj("%04d"::formatted).toArray(String[]::new));
        assertThat(names(serving.get("/v1/loops"))).hasSize(1_000).endsWith("0999");
        assertThat(names(serving.get("/v1/loops?limit=1000&offset=1000")))
                .hasSize(101)
                .startsWith("1000")
                .endsWith("home");
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=1001", "limit=-1", "limit=", "offset=x", "offset=2147483648"})
    void aPageThatIsNoPageIsRefused(String query) {
        problem(
                400,
                "bad-request",
                query.substring(0, query.indexOf('=')) + " must be",
                serving.get("/v1/loops?" + query));
    }

    @Test
    void theMatchesOfALimitedTokenAreItsLoops() {
        Caller some =
                new Caller("some", Set.of(Scope.READ), Optional.of(Set.of("a", "c", "unknown")));
        try (ServingFixture limited = ServingFixture.start(Map.of("token", some))) {
            for (String name : List.of("a", "b", "c")) {
                limited.policies().spec(PolicyStoreFixture.spec(name, 1, SPEC));
            }
            limited.policies().store().swap();
            HttpRequest second =
                    limited.request("/v1/loops?offset=1&limit=5")
                            .header("authorization", "Bearer token")
                            .build();
            JsonNode page = json(200, limited.send(second));
            assertThat(page.get("loops").findValuesAsText("loop")).containsExactly("c");
            assertThat(page.get("matches").asInt()).isEqualTo(2);
        }
    }

    @Test
    void theSameSettingsAreNotWrittenAgain() {
        JsonNode unchanged = json(200, serving.put("/v1/loops/home", SPEC));
        assertThat(unchanged.get("change").asText()).isEqualTo("unchanged");
        assertThat(unchanged.get("version").asLong()).isEqualTo(1);
        assertThat(specs()).isEmpty();
    }

    @Test
    void anImmediateChangeListsItsFields() {
        JsonNode changed = json(200, serving.put("/v1/loops/home", SPEC.replace("0.1}", "0.2}")));
        assertThat(changed.get("change").asText()).isEqualTo("immediate");
        assertThat(changed.get("version").asLong()).isEqualTo(2);
        assertThat(changed.get("fields")).hasSize(1);
        assertThat(changed.get("fields").get(0).get("name").asText()).isEqualTo("explorationFloor");
        assertThat(changed.get("fields").get(0).get("verdict").asText()).isEqualTo("immediate");
        assertThat(changed.get("fields").get(0).get("reason").asText()).isNotEmpty();
        assertThat(specs().get(0).getTime()).isAfter(specTime());
    }

    private static Instant specTime() {
        return PolicyStoreFixture.spec(1, SPEC).time();
    }

    @Test
    void aSpecForTheNextGenerationIsShownAsWaiting() {
        serving.policies().active(0, 1).served();
        JsonNode changed =
                json(200, serving.put("/v1/loops/home", SPEC.replace("0.1}", "0.1,\"tau\":0.5}")));
        assertThat(changed.get("change").asText()).isEqualTo("nextGeneration");
        JsonNode shown = json(200, serving.get("/v1/loops/home"));
        assertThat(shown.get("specVersion").asLong()).isEqualTo(1);
        assertThat(shown.get("waitingSpec").get("tau").asDouble()).isEqualTo(0.5);
    }

    @Test
    void aChangeIsRefusedIfItsPreconditionDoesNotHold() {
        String tag = serving.get("/v1/loops/home").headers().firstValue("etag").orElseThrow();
        HttpResponse<String> changed =
                put("home", "if-match", "\"other\", " + tag, SPEC.replace("0.1}", "0.2}"));
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        String next = changed.headers().firstValue("etag").orElseThrow();
        assertThat(serving.get("/v1/loops/home").headers().firstValue("etag")).hasValue(next);
        String other = SPEC.replace("0.1}", "0.3}");
        problem(412, "precondition-failed", next, put("home", "if-match", tag, other));
        problem(412, "precondition-failed", next, put("home", "if-none-match", "*", other));
        problem(412, "precondition-failed", next, put("home", "if-none-match", next, other));
        problem(412, "precondition-failed", "nothing", put("new", "if-match", "*", other));
        assertThat(specs()).hasSize(1);
        json(201, put("new", "if-none-match", "*", other));
        json(200, put("new", "if-match", "*", other));
    }

    @Test
    void theTagOfALoopDoesNotHideItsPolicies() {
        String tag = serving.get("/v1/loops/home").headers().firstValue("etag").orElseThrow();
        assertThat(
                        serving.send(
                                        serving.request("/v1/loops/home")
                                                .header("if-none-match", tag)
                                                .build())
                                .statusCode())
                .isEqualTo(200);
    }

    private HttpResponse<String> put(String loop, String header, String value, String spec) {
        return serving.send(
                serving.request("/v1/loops/" + loop)
                        .header(header, value)
                        .PUT(HttpRequest.BodyPublishers.ofString(spec))
                        .build());
    }

    @Test
    void anotherShapeIsRefusedWithItsFields() {
        JsonNode problem =
                problem(
                        409,
                        "change-refused",
                        "cannot be changed",
                        serving.put("/v1/loops/home", SPEC.replace(":2", ":3")));
        assertThat(problem.get("fields").get(0).get("name").asText()).isEqualTo("features");
        assertThat(problem.get("fields").get(0).get("verdict").asText()).isEqualTo("refused");
        assertThat(specs()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                       | must be a JSON object, got nothing
                    []                                       | must be a JSON object
                    {"bits":99}                              | bits
                    {"actions":[],"features":1}              | actions
                    {"actions":["a","b"],"features":0}       | features
                    {"bits":10,"learningRate":-1}            | learningRate
                    {"bits":10,"learningRat":1}              | learningRat
                    {"bits":9,"actions":["a","b"],"featureLimit":1} | featureLimit must allow
                    {"bits":10,"holdoutVersion":3}           | holdoutVersion must be a version that is still stored, got 3
                    """)
    void aRefusalNamesTheSetting(String spec, String detail) {
        problem(400, "bad-request", detail, serving.put("/v1/loops/new", spec));
        assertThat(specs()).isEmpty();
    }

    @Test
    void aLoopThatIsTooLargeForThisProcessIsRefused() {
        String reason =
                "the parameters of a version must take at most 33554432 bytes (serving.max-loop-size), got 268435456";
        problem(400, "bad-request", reason, serving.put("/v1/loops/new", "{\"bits\":26}"));
        problem(
                400,
                "bad-request",
                "bits must give at most 8388608 parameters, got 26 bits",
                serving.put(
                        "/v1/loops/new",
                        "{\"bits\":18,\"startingPolicy\":{\"model\":\"hashed\",\"bits\":26,\"weights\":{\"7\":0.5}}}"));
        assertThat(specs()).isEmpty();
        json(201, serving.put("/v1/loops/new", "{\"bits\":22}"));
    }

    @Test
    void aLoopForWhichThereIsNoRoomIsRefused() {
        try (ServingFixture full =
                ServingFixture.start(
                        "{serving.max-loop-size: 1mb, serving.max-policies-size: 1mb}")) {
            full.policies()
                    .snapshot(
                            PolicyStoreFixture.snapshot(
                                    PolicyStoreFixture.spec(1, SPEC),
                                    1,
                                    new DenseModel(new float[3][2], new float[] {1f, 2f, 3f})))
                    .served();
            problem(
                    409,
                    "policies-too-large",
                    "(serving.max-policies-size)",
                    full.put("/v1/loops/new", "{\"bits\":18}"));
            json(201, full.put("/v1/loops/new", "{\"bits\":17}"));
        }
    }

    /** Otherwise the spec would be on the topic, and this process could not use it. */
    @Test
    void aStartingPolicyForWhichThereIsNoRoomIsRefused() {
        try (ServingFixture full =
                ServingFixture.start(
                        "{serving.max-loop-size: 1mb, serving.max-policies-size: 1mb}")) {
            String start =
                    "{\"bits\":17,\"startingPolicy\":{\"model\":\"hashed\",\"bits\":17,\"weights\":{\"7\":0.5}}%s}";
            json(201, full.put("/v1/loops/other", "{\"bits\":17}"));
            json(201, full.put("/v1/loops/new", start.formatted("")));
            problem(
                    409,
                    "policies-too-large",
                    "(serving.max-policies-size)",
                    full.put("/v1/loops/other", start.formatted(",\"explorationFloor\":0.2")));
            json(200, full.put("/v1/loops/new", start.formatted("")));
            json(200, full.put("/v1/loops/other", "{\"bits\":17,\"explorationFloor\":0.2}"));
        }
    }

    @Test
    void aLoopThatIsTooLargeOnTheTopicIsNotServed() {
        LoopSpec large = PolicyStoreFixture.spec("large", 1, "{\"bits\":24}");
        serving.policies().spec(large).served();
        String reason = "(serving.max-loop-size), got 67108864";
        problem(503, "loop-refused", reason, serving.get("/v1/loops/large"));
        problem(409, "loop-refused", reason, serving.put("/v1/loops/large", "{\"bits\":18}"));
        problem(
                503,
                "loop-refused",
                reason,
                serving.post("/v1/loops/large/rank", "{\"context\":{\"features\":{}}}"));
        JsonNode ready = json(200, serving.manage("/readyz"));
        assertThat(ready.get("refusedLoops")).hasSize(1);
        assertThat(ready.get("refusedLoops").get(0).get("loop").asText()).isEqualTo("large");
        assertThat(ready.get("refusedLoops").get(0).get("reason").asText()).endsWith(reason);
        json(200, serving.get("/v1/loops/home"));
    }

    @Test
    void theShareAndTheVersionOfTheHoldoutCanBeChanged() {
        serving.policies()
                .snapshot(
                        PolicyStoreFixture.snapshot(
                                PolicyStoreFixture.spec(1, SPEC), 3, DenseModel.zeros(3, 2)))
                .active(0, 1)
                .served();
        String holdout = SPEC.replace("0.1}", "0.1,\"holdoutShare\":0.2,\"holdoutVersion\":%d}");
        problem(
                400,
                "bad-request",
                "holdoutVersion must be a version that is still stored, got 4",
                serving.put("/v1/loops/home", holdout.formatted(4)));
        JsonNode changed = json(200, serving.put("/v1/loops/home", holdout.formatted(3)));
        assertThat(changed.get("change").asText()).isEqualTo("immediate");
        assertThat(changed.get("fields")).hasSize(2);
        serving.policies().active(0, 2).served(); // the job has put the spec into force
        JsonNode versions = json(200, serving.get("/v1/loops/home/policies")).get("policies");
        assertThat(versions)
                .extracting(it -> it.get("version") + " " + it.get("role") + " " + it.get("share"))
                .containsExactlyInAnyOrder("0 \"active\" 0.8", "3 \"holdout\" 0.2");
    }

    @Test
    void aDeletedLoopIsGoneAndStartsAnew() {
        serving.policies()
                .snapshot(
                        PolicyStoreFixture.snapshot(
                                PolicyStoreFixture.spec(1, SPEC), 1, DenseModel.zeros(3, 2)))
                .active(1, 1)
                .served();
        assertThat(serving.manage("/metrics").body())
                .contains("counterflow_loop_policy_version{loop=\"home\"} 1.0");
        HttpResponse<String> deleted = serving.delete("/v1/loops/home");
        assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(204);
        assertThat(deleted.body()).isEmpty();
        problem(404, "unknown-loop", "\"home\"", serving.get("/v1/loops/home"));
        problem(404, "unknown-loop", "\"home\"", serving.delete("/v1/loops/home"));
        assertThat(serving.manage("/metrics").body()).doesNotContain("loop=\"home\"");
        JsonNode created = json(201, serving.put("/v1/loops/home", SPEC));
        assertThat(created.get("version").asLong()).isEqualTo(1);
        JsonNode shown = json(200, serving.get("/v1/loops/home/policies"));
        assertThat(shown.has("rollout")).isFalse();
        assertThat(shown.get("policies")).hasSize(1);
        assertThat(shown.get("policies").get(0).get("version").asLong()).isZero();
    }

    @Test
    void aLoopIsDeletedOnlyIfThePreconditionHolds() {
        String tag = serving.get("/v1/loops/home").headers().firstValue("etag").orElseThrow();
        problem(412, "precondition-failed", tag, delete("home", "\"other\""));
        problem(412, "precondition-failed", "nothing", delete("nobody", "*"));
        json(200, serving.get("/v1/loops/home"));
        assertThat(delete("home", tag).statusCode()).isEqualTo(204);
    }

    private HttpResponse<String> delete(String loop, String ifMatch) {
        return serving.send(
                serving.request("/v1/loops/" + loop).header("if-match", ifMatch).DELETE().build());
    }

    @Test
    void aDeletionThatIsNotStoredCanBeSentAgain() {
        serving.topics().setAvailable(false);
        problem(503, "not-logged", "send it again", serving.delete("/v1/loops/home"));
        serving.topics().setAvailable(true);
        assertThat(serving.delete("/v1/loops/home").statusCode()).isEqualTo(204);
    }

    @Test
    void aLoopThatIsTooLargeCanBeDeleted() {
        serving.policies().spec(PolicyStoreFixture.spec("large", 1, "{\"bits\":24}")).served();
        assertThat(serving.delete("/v1/loops/large").statusCode()).isEqualTo(204);
        problem(404, "unknown-loop", "", serving.get("/v1/loops/large"));
    }

    @Test
    void aLoopsNameMustBeAName() {
        problem(400, "bad-request", "", serving.put("/v1/loops/..%2Fetc", SPEC));
        problem(400, "bad-request", "", serving.put("/v1/loops/%20", SPEC));
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody"));
    }

    @Test
    void aSpecThatIsNotStoredIsRefusedAndCanBeSentAgain() {
        serving.topics().setAvailable(false);
        problem(503, "not-logged", "send it again", serving.put("/v1/loops/new", SPEC));
        serving.topics().setAvailable(true);
        json(201, serving.put("/v1/loops/new", SPEC));
    }

    @Test
    void aCanaryAndADegradedLoopAreShown() {
        DenseModel zeros = DenseModel.zeros(3, 2);
        serving.policies()
                .snapshot(PolicyStoreFixture.snapshot(PolicyStoreFixture.spec(1, SPEC), 1, zeros))
                .snapshot(PolicyStoreFixture.snapshot(PolicyStoreFixture.spec(1, SPEC), 2, zeros))
                .canary(1, 2, 0.25, 1)
                .served();
        JsonNode canary = json(200, serving.get("/v1/loops")).get("loops").get(0);
        assertThat(canary.get("policyVersion").asLong()).isEqualTo(1);
        assertThat(canary.get("canaryVersion").asLong()).isEqualTo(2);
        assertThat(canary.get("canaryShare").asDouble()).isEqualTo(0.25);

        serving.policies().active(7, 1).served();
        JsonNode degraded = json(200, serving.get("/v1/loops/home"));
        assertThat(degraded.get("policyVersion").asLong()).isEqualTo(1);
        assertThat(degraded.get("degradedReason").asText()).contains("7");
    }
}
