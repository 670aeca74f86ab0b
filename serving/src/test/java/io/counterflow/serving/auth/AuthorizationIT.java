package io.counterflow.serving.auth;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.personalizerError;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AuthorizationIT {

    private static final ServingFixture SERVING =
            ServingFixture.start(
                    Map.of(
                            "root-token", new Caller("root", EnumSet.allOf(Scope.class)),
                            "rank-token", new Caller("ranker", Set.of(Scope.RANK)),
                            "reward-token", new Caller("rewarder", Set.of(Scope.REWARD)),
                            "read-token", new Caller("reader", Set.of(Scope.READ)),
                            "admin-token", new Caller("admin", Set.of(Scope.ADMIN)),
                            "other-token",
                                    new Caller(
                                            "other",
                                            EnumSet.allOf(Scope.class),
                                            Optional.of(Set.of("other"))),
                            "third-token",
                                    new Caller(
                                            "third",
                                            EnumSet.allOf(Scope.class),
                                            Optional.of(Set.of("third"))),
                            "two-token",
                                    new Caller(
                                            "two",
                                            EnumSet.allOf(Scope.class),
                                            Optional.of(Set.of("other", "more")))));

    @AfterAll
    static void close() {
        SERVING.close();
    }

    private static HttpResponse<String> call(String call, String header, String value) {
        String[] parts = call.split(" ", 3);
        HttpRequest.Builder request =
                SERVING.request(parts[1])
                        .method(
                                parts[0],
                                parts.length == 3
                                        ? HttpRequest.BodyPublishers.ofString(parts[2])
                                        : HttpRequest.BodyPublishers.noBody());
        return SERVING.send(
                header.isEmpty() ? request.build() : request.header(header, value).build());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    POST /v1/loops/home/rank {"context":{"dense":[1,1]}}             | rank   | 200
                    POST /v1/loops/home/events/e/reward {"value":1}                  | reward | 202
                    POST /v1/loops/home/events/e/activate                            | reward | 202
                    GET /v1/loops                                                    | read   | 200
                    GET /v1/loops/home                                               | read   | 200
                    GET /v1/loops/home/policies                                      | read   | 200
                    GET /v1/loops/home/policies/0                                    | read   | 200
                    GET /v1/loops/home/stats                                         | read   | 200
                    POST /v1/loops/home/rollout {"action":"pause","reason":"r"}      | admin  | 202
                    DELETE /v1/loops/unknown                                         | admin  | 404
                    """)
    void aCallNeedsItsScopeAndNoOther(String call, String scope, int status) {
        for (String other : new String[] {"rank", "reward", "read", "admin"}) {
            HttpResponse<String> response =
                    call(call, "authorization", "Bearer " + other + "-token");
            if (other.equals(scope)) {
                assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            } else {
                problem(403, "scope-missing", "the token must have the scope " + scope, response);
            }
        }
        assertThat(call(call, "authorization", "bearer root-token").statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/loops/home/rank {}",
                "POST /v1/loops/%68ome/rank {}",
                "POST /v1/loops/unknown/rank {}",
                "POST /v1/loops/home/events/e/reward {}",
                "POST /v1/loops/home/events/e/activate",
                "GET /v1/loops/home",
                "PUT /v1/loops/home {}",
                "PUT /v1/loops/unknown {}",
                "DELETE /v1/loops/home",
                "GET /v1/loops/home/events/e",
                "GET /v1/loops/home/policies",
                "GET /v1/loops/home/policies/0",
                "GET /v1/loops/home/stats",
                "GET /v1/loops/home/pipeline",
                "GET /v1/loops/home/stream",
                "POST /v1/loops/home/rollout {}"
            })
    void aTokenOfAnotherLoopIsRefused(String call) {
        problem(
                403,
                "loop-not-allowed",
                "the token is limited to other loops",
                call(call, "authorization", "Bearer other-token"));
    }

    @Test
    void aLimitedTokenUsesItsLoopsAndSeesNoOther() {
        HttpResponse<String> before = call("GET /v1/loops", "authorization", "Bearer other-token");
        assertThat(before.body()).isEqualTo("{\"matches\":0,\"offset\":0,\"loops\":[]}");
        HttpResponse<String> created =
                call("PUT /v1/loops/other {\"bits\":10}", "authorization", "Bearer other-token");
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(
                        json(200, call("GET /v1/loops", "authorization", "Bearer other-token"))
                                .findValuesAsText("loop"))
                .containsExactly("other");
        assertThat(
                        json(200, call("GET /v1/loops", "authorization", "Bearer root-token"))
                                .findValuesAsText("loop"))
                .contains("home", "other");
    }

    @Test
    void aCallWithoutATokenIsRefused() {
        HttpResponse<String> response = call("GET /v1/loops", "", "");
        problem(401, "no-token", "a bearer token must be sent", response);
        assertThat(response.headers().firstValue("www-authenticate")).hasValue("Bearer");
        problem(401, "no-token", "", call("GET /v1/loops", "authorization", "Basic cm9vdA=="));
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrong", "root-token2", "ROOT-TOKEN", "root"})
    void anUnknownTokenIsRefusedAndNotShown(String token) {
        HttpResponse<String> response = call("GET /v1/loops", "authorization", "Bearer " + token);
        problem(401, "unknown-token", "the token is not known", response);
        assertThat(response.body()).doesNotContain(token + "\"");
        assertThat(response.headers().firstValue("www-authenticate")).hasValue("Bearer");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    POST /personalizer/v1.0/rank {"actions":[{"id":"a"}]}   | rank   | 400
                    POST /personalizer/v1.0/events/e/reward {"value":1}     | reward | 204
                    POST /personalizer/v1.0/events/e/activate               | reward | 204
                    """)
    void callsOfPersonalizerTakeTheTokenAsASubscriptionKey(String call, String scope, int status) {
        String key = "Ocp-Apim-Subscription-Key";
        for (String other : new String[] {"rank", "reward", "read", "admin"}) {
            HttpResponse<String> response = call(call, key, other + "-token");
            if (other.equals(scope)) {
                assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            } else {
                personalizerError(403, "scope-missing", "the scope " + scope, response);
            }
        }
        personalizerError(401, "no-token", "", call(call, "", ""));
        personalizerError(401, "unknown-token", "", call(call, key, "wrong"));
        personalizerError(
                403, "loop-not-allowed", "limited to other loops", call(call, key, "two-token"));
    }

    @Test
    void aTokenOfOneLoopUsesThisLoopInCallsOfPersonalizer() {
        assertThat(
                        call(
                                        "PUT /v1/loops/third {\"bits\":10}",
                                        "authorization",
                                        "Bearer third-token")
                                .statusCode())
                .isIn(200, 201);
        String event = "/personalizer/v1.0/events/of-third/activate";
        assertThat(call("POST " + event, "Ocp-Apim-Subscription-Key", "third-token").statusCode())
                .isEqualTo(204);
        assertThat(SERVING.topics().records(Topic.REWARDS, ActivationRecord.class))
                .filteredOn(it -> it.getEventId().equals("of-third"))
                .extracting(ActivationRecord::getLoop)
                .containsExactly("third");
    }

    @Test
    void pagesAndTheDescriptionNeedNoToken() {
        assertThat(SERVING.get("/").statusCode()).isEqualTo(200);
        assertThat(SERVING.get("/openapi.yaml").statusCode()).isEqualTo(200);
        assertThat(SERVING.manage("/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void aCommandNamesItsCaller() {
        call(
                "POST /v1/loops/home/rollout"
                        + " {\"action\":\"pause\",\"reason\":\"r\",\"commandId\":\"named\"}",
                "authorization",
                "Bearer admin-token");
        assertThat(SERVING.topics().records(Topic.ROLLOUT_COMMANDS, RolloutCommandRecord.class))
                .filteredOn(it -> it.getCommandId().equals("named"))
                .extracting(RolloutCommandRecord::toString)
                .allSatisfy(text -> assertThat(text).contains("admin"))
                .hasSize(1);
    }

    @Test
    void withTokensAnyHostMayCall() {
        assertThat(
                        SERVING.rawStatus(
                                "/v1/loops",
                                "Host: decisions.example\r\nAuthorization: Bearer read-token"))
                .isEqualTo(200);
    }

    @Test
    void withTokensPagesOfOtherSitesAreRefused() {
        assertThat(
                        SERVING.rawStatus(
                                "/v1/loops",
                                "Host: decisions.example\r\nOrigin: https://evil.example\r\n"
                                        + "Authorization: Bearer read-token"))
                .isEqualTo(403);
        assertThat(
                        SERVING.rawStatus(
                                "/v1/loops", "Origin: null\r\nAuthorization: Bearer read-token"))
                .as("without a host")
                .isEqualTo(400);
    }
}
