package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.serving.auth.TokenFile;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Invalid requests, and requests without permission. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class HostileRequestsIT {

    private static final String DENSE = "{\"actions\":[\"a\",\"b\"],\"features\":2}";
    private static final String HASHED = "{\"bits\":10}";
    private static final String PERSONALIZER_RANK =
            """
            {"contextFeatures":[{"timeOfDay":"Morning"},{"device":{"mobile":true,"width":300.5}}],
             "actions":[{"id":"pasta","features":[{"taste":"salty","spice":"medium"},
                                                  {"nutrition":{"calories":35}}]},
                        {"id":"salad","features":[{"taste":"sweet"}]},
                        {"id":"soup","features":[]}],
             "excludedActions":["soup"],"eventId":"p-1","deferActivation":false}
            """;

    @TempDir private static Path directory;
    private static RunningServing open;
    private static RunningServing guarded;
    private static Path tokens;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        open = RunningServing.start(kafka, "serving.personalizer-loop: hashed");
        assertThat(open.put("/v1/loops/dense", DENSE).statusCode()).isEqualTo(201);
        assertThat(open.put("/v1/loops/hashed", HASHED).statusCode()).isEqualTo(201);
        tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                "app rank,reward sha256:%s\nroot rank,reward,read,admin sha256:%s\n"
                        .formatted(TokenFile.hash("app-token"), TokenFile.hash("root-token")));
        guarded =
                RunningServing.start(
                        kafka,
                        "serving.personalizer-loop: hashed\nserving.name: guarded\n"
                                + "serving.tokens-file: "
                                + tokens);
    }

    @AfterAll
    static void stop() {
        open.close();
        guarded.close();
    }

    private static List<byte[]> hostileBodies() {
        List<String> texts = new ArrayList<>();
        texts.add("");
        texts.add("null");
        texts.add("[]");
        texts.add("{");
        texts.add("{}");
        texts.add("{\"context\":1}");
        texts.add("{\"context\":{}}");
        texts.add("{\"context\":{\"dense\":[]}}");
        texts.add("{\"context\":{\"dense\":[1]}}");
        texts.add("{\"context\":{\"dense\":[NaN,1]}}");
        texts.add("{\"context\":{\"dense\":[1e999,1]}}");
        texts.add("{\"context\":{\"dense\":[1e39,1]}}");
        texts.add("{\"context\":{\"dense\":[1e38,1e38]}}");
        texts.add("{\"context\":{\"dense\":[\"1\",1]}}");
        texts.add("{\"context\":{\"dense\":[" + "9".repeat(100_000) + ",1]}}");
        texts.add("{\"context\":{\"sparse\":{\"dimension\":2,\"indices\":[5],\"values\":[1]}}}");
        texts.add("{\"context\":{\"sparse\":{\"dimension\":-2,\"indices\":[],\"values\":[]}}}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"eventId\":\"\"}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"eventId\":\"" + "e".repeat(600) + "\"}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"eventId\":\"\\ud800\"}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"eventId\":7}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"eventId\":\"a\",\"eventId\":\"b\"}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"excludedActions\":[\"a\",\"b\"]}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"excludedActions\":{}}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"deferActivation\":\"yes\"}");
        texts.add("{\"context\":{\"dense\":[1,1]},\"surprise\":1}");
        texts.add("{\"context\":{\"dense\":[1,1]}} trailing");
        texts.add(
                "{\"context\":{\"features\":"
                        + "{\"a\":".repeat(10_000)
                        + "1"
                        + "}".repeat(10_000)
                        + "}}");
        texts.add("{\"context\":{\"features\":" + "[".repeat(50_000) + "}}");
        texts.add("{\"context\":{\"features\":{}},\"actions\":[]}");
        texts.add("{\"context\":{\"features\":{}},\"actions\":[{}]}");
        texts.add("{\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"},{\"id\":\"a\"}]}");
        texts.add("{\"context\":{\"features\":{\"x\":1e300}},\"actions\":[{\"id\":\"a\"}]}");
        texts.add(
                "{\"context\":{\"features\":{\"x\":\""
                        + "y".repeat(70_000)
                        + "\"}},\"actions\":[{\"id\":\"a\"}]}");
        texts.add("{\"value\":2}");
        texts.add("{\"value\":\"1\"}");
        texts.add("{\"value\":1,\"time\":\"yesterday\"}");
        texts.add("{\"value\":1,\"time\":\"9999-01-01T00:00:00Z\"}");
        List<byte[]> bodies = new ArrayList<>();
        texts.forEach(text -> bodies.add(text.getBytes(StandardCharsets.UTF_8)));
        bodies.add(new byte[] {'{', '"', (byte) 0xFF, (byte) 0xFE, '"', ':', '1', '}'});
        bodies.add(
                "{\"context\":{\"dense\":[1,1]},\"eventId\":\"\u00e9\"}"
                        .getBytes(StandardCharsets.ISO_8859_1));
        bodies.add(new byte[1_000]);
        return bodies;
    }

    @Test
    void invalidBodiesAreRejectedAsClientErrors() throws Exception {
        List<String> paths =
                List.of(
                        "/v1/loops/dense/rank",
                        "/v1/loops/hashed/rank",
                        "/v1/loops/dense/events/e/reward",
                        "/v1/loops/dense/rollout",
                        "/personalizer/v1.0/rank",
                        "/personalizer/v1.0/events/e/reward");
        int refused = 0;
        for (String path : paths) {
            for (byte[] body : hostileBodies()) {
                HttpResponse<String> response =
                        open.send(
                                open.request(path)
                                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                        .build());
                String what =
                        path
                                + " "
                                + new String(
                                        body, 0, Math.min(80, body.length), StandardCharsets.UTF_8);
                assertThat(response.statusCode()).as(what).isBetween(400, 499);
                JsonNode problem = RunningServing.json(response);
                JsonNode detail = problem.at("/detail");
                if (path.startsWith("/personalizer/")) {
                    detail = problem.at("/error/message");
                } else {
                    assertThat(response.headers().firstValue("content-type"))
                            .hasValue("application/problem+json");
                    assertThat(problem.get("status").asInt()).isEqualTo(response.statusCode());
                }
                assertThat(detail.asText()).as(what).hasSizeBetween(1, 500);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(200);
        for (String spec :
                List.of("{}", "[]", "{\"bits\":99}", "{\"actions\":[],\"features\":1}")) {
            assertThat(open.put("/v1/loops/new", spec).statusCode()).isEqualTo(400);
        }
        assertThat(open.put("/v1/loops/..%2Fetc", DENSE).statusCode()).isEqualTo(400);
        assertThat(open.put("/v1/loops/%ff", DENSE).statusCode()).isEqualTo(400);
        assertThat(open.log()).doesNotContain("request-failed");
    }

    @Test
    void aBodyOfAHundredMegabytesIsNotRead() throws Exception {
        InputStream endless =
                new InputStream() {
                    private long left = 100L << 20;

                    @Override
                    public int read() {
                        return left-- > 0 ? ' ' : -1;
                    }

                    @Override
                    public int read(byte[] into, int offset, int length) {
                        if (left <= 0) {
                            return -1;
                        }
                        int n = (int) Math.min(left, length);
                        java.util.Arrays.fill(into, offset, offset + n, (byte) ' ');
                        left -= n;
                        return n;
                    }
                };
        HttpResponse<String> response =
                open.send(
                        open.request("/v1/loops/dense/rank")
                                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> endless))
                                .build());
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(open.get("/v1/loops").statusCode()).isEqualTo(200);
    }

    @Test
    void unknownPathsAndMethodsAreRejected() throws Exception {
        assertThat(open.get("/nothing").statusCode()).isEqualTo(404);
        HttpResponse<String> method = open.get("/v1/loops/dense/rank");
        assertThat(method.statusCode()).isEqualTo(405);
        assertThat(method.headers().firstValue("allow")).hasValue("POST");
        assertThat(open.post("/v1/loops/nobody/rank", "{\"context\":{\"dense\":[1]}}").statusCode())
                .isEqualTo(404);
        HttpRequest form =
                HttpRequest.newBuilder(open.uri("/v1/loops/dense/rank"))
                        .header("content-type", "text/plain")
                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                        .build();
        assertThat(open.send(form).statusCode()).isEqualTo(415);
        HttpResponse<String> named =
                open.send(open.request("/v1/loops").header("x-request-id", "mine-1").GET().build());
        assertThat(named.headers().firstValue("x-request-id")).hasValue("mine-1");
        assertThat(named.headers().firstValue("x-content-type-options")).hasValue("nosniff");
        assertThat(open.get("/openapi.yaml").body()).startsWith("openapi: 3.1.0");
    }

    @Test
    void callsOfThePersonalizerApiWork() throws Exception {
        HttpResponse<String> response = open.post("/personalizer/v1.0/rank", PERSONALIZER_RANK);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        JsonNode answer = RunningServing.json(response);
        assertThat(answer.get("eventId").asText()).isEqualTo("p-1");
        assertThat(answer.get("rewardActionId").asText()).isIn("pasta", "salad");
        assertThat(answer.get("ranking").findValuesAsText("id"))
                .containsExactlyInAnyOrder("pasta", "salad", "soup");
        assertThat(answer.get("ranking").get(0).get("probability").asDouble()).isEqualTo(0.5);
        assertThat(open.post("/personalizer/v1.0/events/p-1/reward", "{\"value\": 1}").statusCode())
                .isEqualTo(204);
        assertThat(open.post("/personalizer/v1.0/events/p-1/activate", "").statusCode())
                .isEqualTo(204);
    }

    private static int status(RunningServing serving, String path, String token, String body)
            throws Exception {
        HttpRequest.Builder request = serving.request(path);
        if (!token.isEmpty()) {
            request.header("authorization", "Bearer " + token);
        }
        return serving.send(
                        body.isEmpty()
                                ? request.GET().build()
                                : request.POST(HttpRequest.BodyPublishers.ofString(body)).build())
                .statusCode();
    }

    @Test
    void tokensAllowOnlyTheirScopes() throws Exception {
        String rank = "{\"context\":{\"dense\":[1,1]}}";
        String pause = "{\"action\":\"pause\",\"reason\":\"test\"}";
        assertThat(status(guarded, "/v1/loops/dense/rank", "", rank)).isEqualTo(401);
        assertThat(status(guarded, "/v1/loops/dense/rank", "wrong", rank)).isEqualTo(401);
        assertThat(status(guarded, "/v1/loops/dense/rank", "app-token", rank)).isEqualTo(200);
        assertThat(status(guarded, "/v1/loops", "app-token", "")).isEqualTo(403);
        assertThat(status(guarded, "/v1/loops/dense/rollout", "app-token", pause)).isEqualTo(403);
        assertThat(status(guarded, "/v1/loops", "root-token", "")).isEqualTo(200);
        assertThat(status(guarded, "/v1/loops/dense/rollout", "root-token", pause)).isEqualTo(202);
        assertThat(status(guarded, "/openapi.yaml", "", "")).isEqualTo(200);
        HttpRequest personalizer =
                guarded.request("/personalizer/v1.0/rank")
                        .header("Ocp-Apim-Subscription-Key", "app-token")
                        .POST(HttpRequest.BodyPublishers.ofString(PERSONALIZER_RANK))
                        .build();
        assertThat(guarded.send(personalizer).statusCode()).isEqualTo(201);

        String before = Files.readString(tokens);
        Files.writeString(tokens, before + "new read sha256:" + TokenFile.hash("new-token") + "\n");
        RunningServing.await(
                "the new token",
                () -> {
                    try {
                        return status(guarded, "/v1/loops", "new-token", "") == 200;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
        Files.writeString(tokens, "broken");
        RunningServing.await(
                "the broken file to be seen", () -> guarded.log().contains("tokens-unusable"));
        assertThat(status(guarded, "/v1/loops", "new-token", "")).isEqualTo(200);
        assertThat(guarded.log()).doesNotContain("app-token", "new-token", "root-token");
    }
}
