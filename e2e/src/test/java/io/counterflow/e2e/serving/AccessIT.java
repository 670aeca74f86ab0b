package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.auth.TokenFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each call of the OpenAPI document, with all kinds of tokens. A call that is added is tested as
 * well, or a test fails and says what it lacks.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class AccessIT {

    private static final List<String> SCOPES = List.of("rank", "reward", "read", "events", "admin");
    private static final String ALL = String.join(",", SCOPES);
    private static final String MINE = "mine";
    private static final String THEIRS = "theirs";
    private static final String NOBODYS = "nobodys";
    private static final String KEY = "Ocp-Apim-Subscription-Key";

    @TempDir private static Path directory;
    private static Path tokens;
    private static RunningServing serving;
    private static List<DescribedCall> calls;

    /** The text, the status and the kinds of headers of an answer. */
    private record Answer(int status, String body, List<String> headers) {

        /** Without what differs between two requests of the same kind. */
        Answer comparable() {
            return new Answer(
                    status, body.replaceAll("urn:counterflow:request:[^\"]+", "request"), headers);
        }
    }

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        tokens = directory.resolve("tokens");
        writeTokens(Stream.concat(many(), Stream.of(line("survivor", ALL, ""))));
        serving =
                RunningServing.start(
                        kafka,
                        """
                        serving.name: access
                        serving.personalizer-loop: mine
                        serving.tokens-file: %s
                        """
                                .formatted(tokens));
        calls = DescribedCall.all(send("GET", "/openapi.yaml", "", "").body());
        for (String loop : List.of(MINE, THEIRS)) {
            Answer created =
                    send(
                            "PUT",
                            "/v1/loops/" + loop,
                            "root",
                            "{\"actions\":[\"of-%s\",\"b\"],\"features\":2}".formatted(loop));
            assertThat(created.status()).as(created.body()).isEqualTo(201);
        }
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    /** Tokens with all scopes, with one, with all but one, and those of other loops. */
    private static Stream<String> many() {
        List<String> lines = new ArrayList<>();
        lines.add(line("root", ALL, ""));
        for (String scope : SCOPES) {
            lines.add(line("only-" + scope, scope, ""));
            String others =
                    SCOPES.stream()
                            .filter(it -> !it.equals(scope))
                            .collect(Collectors.joining(","));
            lines.add(line("all-but-" + scope, others, ""));
        }
        lines.add(line("of-theirs", ALL, " loops:" + THEIRS));
        lines.add(line("of-several", ALL, " loops:" + THEIRS + ",others"));
        return lines.stream();
    }

    private static String line(String name, String scopes, String loops) {
        return "%s %s sha256:%s%s\n".formatted(name, scopes, TokenFile.hash(secret(name)), loops);
    }

    private static String secret(String name) {
        return name + "-6d1f3b";
    }

    private static void writeTokens(Stream<String> lines) throws IOException {
        Files.writeString(tokens, lines.collect(Collectors.joining()));
    }

    /** Sends a request with the token of this name; without a name, without a token. */
    private static Answer send(String method, String path, String token, String body)
            throws Exception {
        return send(
                method,
                path,
                body,
                token.isEmpty() ? Map.of() : Map.of("authorization", "Bearer " + secret(token)));
    }

    private static Answer send(String method, String path, String body, Map<String, String> headers)
            throws Exception {
        HttpRequest.Builder request =
                serving.request(path).method(method, HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return send(request.build());
    }

    private static Answer send(HttpRequest request) throws Exception {
        HttpResponse<InputStream> response =
                serving.client().send(request, HttpResponse.BodyHandlers.ofInputStream());
        boolean isStream =
                response.headers()
                        .firstValue("content-type")
                        .filter("text/event-stream"::equals)
                        .isPresent();
        try (InputStream body = response.body()) {
            return new Answer(
                    response.statusCode(),
                    isStream ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8),
                    List.copyOf(response.headers().map().keySet()));
        }
    }

    private static List<DescribedCall> guarded() {
        return calls.stream().filter(it -> it.scope().isPresent()).toList();
    }

    private static void requireRefused(Answer answer, int status, String kind, Object call) {
        assertThat(answer.status()).as("%s: %s", call, answer.body()).isEqualTo(status);
        assertThat(answer.body()).as(call.toString()).contains(kind).doesNotContain("of-mine");
    }

    /** Whoever adds a call that needs no token decides here that it may need none. */
    @Test
    void onlyPagesAndDescriptionsNeedNoToken() throws Exception {
        List<DescribedCall> open = calls.stream().filter(it -> it.scope().isEmpty()).toList();
        assertThat(open)
                .extracting(DescribedCall::toString)
                .containsExactly(
                        "GET /",
                        "GET /dashboard/{file}",
                        "GET /openapi.yaml",
                        "GET /v1/schemas",
                        "GET /v1/schemas/{fingerprint}");
        assertThat(guarded()).hasSizeGreaterThan(25);
        for (DescribedCall call : open) {
            Answer answer = send(call.method(), call.path(MINE), "", "");
            assertThat(answer.status()).as(call.toString()).isIn(200, 404);
            assertThat(answer.body()).as(call.toString()).doesNotContain("of-mine");
        }
    }

    @Test
    void withoutAKnownTokenNothingIsAnswered() throws Exception {
        List<Map<String, String>> unknown =
                List.of(
                        Map.of("authorization", "Bearer unknown"),
                        Map.of("authorization", "Bearer " + TokenFile.hash(secret("root"))),
                        Map.of("authorization", "Bearer sha256:" + TokenFile.hash(secret("root"))),
                        Map.of("authorization", "Bearer root"),
                        Map.of("authorization", "Bearer " + secret("root") + "x"),
                        Map.of("authorization", "Bearer " + secret("root") + ", x"),
                        Map.of(KEY, "unknown"),
                        // The first one that is there counts.
                        Map.of("authorization", "Bearer unknown", KEY, secret("root")));
        List<Map<String, String>> none =
                List.of(
                        Map.of(),
                        Map.of("authorization", "Bearer"),
                        Map.of("authorization", "Basic " + secret("root")),
                        Map.of("authorization", secret("root")),
                        Map.of("x-authorization", "Bearer " + secret("root")),
                        Map.of("cookie", "token=" + secret("root")));
        for (DescribedCall call : guarded()) {
            for (Map<String, String> headers : unknown) {
                requireUnauthorised(call, headers, "unknown-token");
            }
            for (Map<String, String> headers : none) {
                requireUnauthorised(call, headers, "no-token");
            }
            Answer query =
                    send(
                            call.method(),
                            call.path(MINE) + "?access_token=" + secret("root"),
                            "",
                            call.body());
            requireRefused(query, 401, "no-token", call);
        }
        requireUntouched();
    }

    private static void requireUnauthorised(
            DescribedCall call, Map<String, String> headers, String kind) throws Exception {
        Answer answer = send(call.method(), call.path(MINE), call.body(), headers);
        requireRefused(answer, 401, kind, call);
        assertThat(answer.headers()).as(call.toString()).contains("www-authenticate");
        assertThat(send(call.method(), call.path(NOBODYS), call.body(), headers).comparable())
                .as("%s of a loop that does not exist", call)
                .isEqualTo(answer.comparable());
    }

    @Test
    void aTokenNeedsTheScopeOfTheCall() throws Exception {
        for (DescribedCall call : guarded()) {
            String scope = call.scope().orElseThrow();
            assertThat(SCOPES).as(call.toString()).contains(scope);
            String others = "all-but-" + scope;
            Answer refused = send(call.method(), call.path(MINE), others, call.body());
            requireRefused(refused, 403, "scope-missing", call);
            assertThat(refused.body()).as(call.toString()).contains("the scope " + scope);
            assertThat(send(call.method(), call.path(NOBODYS), others, call.body()).comparable())
                    .as("%s of a loop that does not exist", call)
                    .isEqualTo(refused.comparable());
            if (call.isOfPersonalizer()) {
                Map<String, String> key = Map.of(KEY, secret(others));
                requireRefused(
                        send(call.method(), call.path(MINE), call.body(), key),
                        403,
                        "scope-missing",
                        call);
            }
        }
        requireUntouched();
        for (DescribedCall call : guarded()) { // an incomplete body changes nothing
            Answer answer =
                    send(
                            call.method(),
                            call.path(MINE),
                            call.body().isEmpty() ? "" : "{}",
                            Map.of(
                                    "authorization",
                                    "Bearer " + secret("only-" + call.scope().orElseThrow()),
                                    "if-match",
                                    "\"another\""));
            assertThat(answer.status())
                    .as("%s: %s", call, answer.body())
                    .isIn(200, 202, 204, 400, 404, 412);
        }
    }

    @Test
    void aTokenOfOtherLoopsLearnsNothingAboutALoop() throws Exception {
        for (DescribedCall call : guarded()) {
            for (String token : List.of("of-theirs", "of-several")) {
                if (call.namesALoop()) {
                    Answer refused = send(call.method(), call.path(MINE), token, call.body());
                    requireRefused(refused, 403, "loop-not-allowed", call);
                    assertThat(
                                    send(call.method(), call.path(NOBODYS), token, call.body())
                                            .comparable())
                            .as("%s of a loop that does not exist", call)
                            .isEqualTo(refused.comparable());
                } else if (call.isOfPersonalizer() && token.equals("of-several")) {
                    requireRefused(
                            send(call.method(), call.path(MINE), token, call.body()),
                            403,
                            "loop-not-allowed",
                            call);
                } else if (!call.isOfPersonalizer()) { // a list
                    Answer list = send(call.method(), call.path(""), token, "");
                    assertThat(list.status()).as(call.toString()).isEqualTo(200);
                    assertThat(list.body())
                            .as(call.toString())
                            .contains(THEIRS, "\"matches\":1")
                            .doesNotContain(MINE, "survivor", "root");
                    for (String search : List.of("?search=mine", "?search=theirs&offset=1")) {
                        assertThat(send(call.method(), call.path("") + search, token, "").body())
                                .as(call + search)
                                .doesNotContain(MINE);
                    }
                }
            }
        }
        requireUntouched();
    }

    @Test
    void otherSpellingsOfAPathOpenNoOtherLoop() throws Exception {
        List<String> paths =
                List.of(
                        "/v1/loops/%6dine",
                        "/v1/loops/%6Dine",
                        "/v1/loops/theirs%2F..%2Fmine",
                        "/v1/loops/theirs/../mine",
                        "/v1/loops/theirs/%2e%2e/mine",
                        "/v1/loops/./mine",
                        "/v1/loops//mine",
                        "//v1/loops/mine",
                        "/v1//loops/mine",
                        "/v1/loops/mine/",
                        "/v1/loops/mine//",
                        "/v1/loops/mine%2F",
                        "/v1/loops/mine%00",
                        "/v1/loops/mine%20",
                        "/v1/loops/mine;loop=theirs",
                        "/v1/loops/theirs;/../mine",
                        "/v1/loops/MINE",
                        "/V1/loops/mine",
                        "/v1/loops/%ef%bd%8dine",
                        "/v1/loops/theirs?loop=mine",
                        "/v1/loops/mine?loop=theirs",
                        "/v1/loops/mine%3Floop=theirs",
                        "/v1/loops/mine%23");
        List<String> headers =
                List.of(
                        "X-Original-URL: /v1/loops/mine",
                        "X-Rewrite-URL: /v1/loops/mine",
                        "X-HTTP-Method-Override: GET",
                        "X-Forwarded-For: 127.0.0.1",
                        "X-Forwarded-Host: localhost",
                        "X-Forwarded-User: root",
                        "Forwarded: for=127.0.0.1;host=localhost",
                        "Authorization: Bearer " + secret("root"));
        for (String token : List.of("", "of-theirs")) {
            String authorization =
                    token.isEmpty() ? "" : "Authorization: Bearer %s\r\n".formatted(secret(token));
            for (String path : paths) {
                requireNothingOfMine("GET " + path, authorization);
            }
            for (String header : headers) {
                if (!token.isEmpty() || !header.startsWith("Authorization")) {
                    requireNothingOfMine("GET /v1/loops/mine", authorization + header + "\r\n");
                    requireNothingOfMine("GET /v1/loops", authorization + header + "\r\n");
                }
            }
            for (String method :
                    List.of("HEAD", "OPTIONS", "TRACE", "PATCH", "get", "GETS", "CONNECT")) {
                requireNothingOfMine(method + " /v1/loops/mine", authorization);
            }
        }
    }

    private static void requireNothingOfMine(String line, String headers) throws IOException {
        String request = "%s HTTP/1.1\r\nHost: localhost\r\n%s".formatted(line, headers);
        try (PipelinedConnection connection = new PipelinedConnection(serving.process().port())) {
            connection.send(
                    (request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            String answer = connection.start();
            assertThat(answer).as(request).startsWith("HTTP/1.1 ").doesNotContain("of-mine");
            boolean ofTheirs = answer.contains("of-theirs") || line.equals("GET /v1/loops");
            if (!ofTheirs || !headers.contains(secret("of-theirs"))) {
                assertThat(answer).as(request).containsPattern("^HTTP/1.1 4\\d\\d ");
            }
        }
    }

    @Test
    void thePortsHaveNoCallOfEachOther() throws Exception {
        for (String path : List.of("/livez", "/readyz", "/metrics")) {
            assertThat(serving.manage(path).statusCode()).as(path).isEqualTo(200);
            assertThat(send("GET", path, "root", "").status()).as(path).isEqualTo(404);
        }
        for (DescribedCall call : calls) {
            URI management =
                    URI.create(
                            "http://127.0.0.1:%d%s"
                                    .formatted(
                                            serving.process().managementPort(), call.path(MINE)));
            HttpRequest request =
                    HttpRequest.newBuilder(management)
                            .method(call.method(), HttpRequest.BodyPublishers.ofString(call.body()))
                            .header("authorization", "Bearer " + secret("root"))
                            .build();
            assertThat(send(request).status()).as(call.toString()).isEqualTo(404);
        }
        requireUntouched();
    }

    /** Refused calls have written nothing. */
    private static void requireUntouched() {
        assertThat(serving.records(Topic.LOOPS, LoopSpecRecord.class)).hasSize(2);
        assertThat(serving.records(Topic.ROLLOUT_COMMANDS, RolloutCommandRecord.class)).isEmpty();
        assertThat(serving.impressions()).isEmpty();
        assertThat(serving.rewards()).isEmpty();
    }

    @Test
    void aRevokedTokenIsUnknownAtOnceToAllCallsAndStreams(SharedKafka kafka) throws Exception {
        Path file = directory.resolve("revoked");
        Files.writeString(file, line("gone", ALL, "") + line("survivor", ALL, ""));
        try (RunningServing revoking =
                RunningServing.start(
                        kafka, "serving.personalizer-loop: mine\nserving.tokens-file: " + file)) {
            String spec = "{\"bits\":10}";
            Answer created =
                    send(authorised(revoking, "PUT", "/v1/loops/mine", "gone", spec).build());
            assertThat(created.status()).as(created.body()).isEqualTo(201);
            HttpRequest stream =
                    authorised(revoking, "GET", "/v1/loops/mine/stream", "gone", "").build();
            try (InputStream events =
                    revoking.client()
                            .send(stream, HttpResponse.BodyHandlers.ofInputStream())
                            .body()) {
                assertThat(events.read()).as("the stream is open").isEqualTo(':');
                Files.writeString(file, line("survivor", ALL, ""));
                awaitStatus(revoking, "gone", 401);
                events.transferTo(OutputStream.nullOutputStream()); // it ends
            }
            for (DescribedCall call : guarded()) {
                Answer answer =
                        send(
                                authorised(
                                                revoking,
                                                call.method(),
                                                call.path(MINE),
                                                "gone",
                                                call.body())
                                        .build());
                requireRefused(answer, 401, "unknown-token", call);
            }
            awaitStatus(revoking, "survivor", 200);
            Files.delete(file);
            awaitStatus(revoking, "survivor", 401);
            Files.writeString(file, line("survivor", ALL, ""));
            awaitStatus(revoking, "survivor", 200);
            Files.writeString(file, "");
            awaitStatus(revoking, "survivor", 401);
        }
    }

    private static HttpRequest.Builder authorised(
            RunningServing server, String method, String path, String token, String body) {
        return server.request(path)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("authorization", "Bearer " + secret(token));
    }

    private static void awaitStatus(RunningServing server, String token, int status) {
        RunningServing.await(
                "%d for %s".formatted(status, token),
                () -> {
                    try {
                        return server.send(
                                                authorised(server, "GET", "/v1/loops", token, "")
                                                        .build())
                                        .statusCode()
                                == status;
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new AssertionError(e);
                    }
                });
    }
}
