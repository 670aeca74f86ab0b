package io.counterflow.serving.http;

import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpFrontIT {

    private static final String RANK = "/v1/loops/home/rank";
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String BODY = "{\"context\":{\"dense\":[1,1]}}";

    private final ServingFixture serving = ServingFixture.start("serving.max-body-size: 1kb");

    @AfterEach
    void close() {
        serving.close();
    }

    @Test
    void aPathWithoutACallIsNotFound() {
        problem(404, "not-found", "", serving.get("/nothing"));
        problem(404, "not-found", "", serving.get("/v1/loops/" + "x/".repeat(30)));
        problem(404, "not-found", "", serving.get("/v1/loops/home/rank/more"));
    }

    @Test
    void anotherMethodIsNotAllowed() {
        HttpResponse<String> response = serving.get(RANK);
        problem(405, "method-not-allowed", "method must be POST", response);
        assertThat(response.headers().firstValue("allow")).hasValue("POST");
        HttpResponse<String> several = serving.post("/v1/loops/home", "{}");
        problem(405, "method-not-allowed", "DELETE or GET or PUT", several);
        assertThat(several.headers().firstValue("allow")).hasValue("DELETE, GET, PUT");
    }

    @Test
    void aBodyAboveTheLimitIsRefused() {
        String large = " ".repeat(1_025);
        problem(413, "body-too-large", "at most 1024 bytes", serving.post(RANK, large));
        HttpRequest chunked =
                serving.request(RANK)
                        .POST(
                                HttpRequest.BodyPublishers.ofInputStream(
                                        () ->
                                                new ByteArrayInputStream(
                                                        large.getBytes(StandardCharsets.UTF_8))))
                        .build();
        problem(413, "body-too-large", "at most 1024 bytes", serving.send(chunked));
        String largest = BODY + " ".repeat(1_024 - BODY.length());
        assertThat(serving.post(RANK, largest).statusCode()).isEqualTo(200);
    }

    @Test
    void aBodyMustBeJsonByItsContentType() {
        HttpRequest form =
                HttpRequest.newBuilder(serving.request(RANK).build().uri())
                        .header("content-type", "text/plain")
                        .POST(HttpRequest.BodyPublishers.ofString(BODY))
                        .build();
        problem(
                415,
                "unsupported-media-type",
                "content-type must be application/json",
                serving.send(form));
    }

    @Test
    void aBodyMustBeUtf8() {
        HttpRequest latin =
                serving.request(RANK)
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        "{\"eventId\":\"\u00e9\"}"
                                                .getBytes(StandardCharsets.ISO_8859_1)))
                        .build();
        problem(400, "bad-request", "must be UTF-8", serving.send(latin));
    }

    @Test
    void aRequestKeepsItsIdIfItIsHarmless() {
        assertThat(requestId("mine-1")).isEqualTo("mine-1");
        assertThat(requestId("has space")).isNotEqualTo("has space").hasSize(36);
        assertThat(requestId("x".repeat(65))).hasSize(36);
        assertThat(serving.get("/v1/loops").headers().firstValue("x-request-id").orElseThrow())
                .hasSize(36);
    }

    private String requestId(String given) {
        return serving.send(
                        serving.request("/v1/loops").header("x-request-id", given).GET().build())
                .headers()
                .firstValue("x-request-id")
                .orElseThrow();
    }

    @Test
    void theTraceOfACallerIsInTheAnswerAndInTheLog() {
        serving.topics().setDefect(new IllegalStateException("a defect"));
        HttpResponse<String> failed =
                serving.send(
                        serving.request(RANK)
                                .header("traceparent", TRACE)
                                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                                .build());
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.headers().allValues("traceparent")).containsExactly(TRACE);
        assertThat(serving.log()).contains("\"traceparent\":\"" + TRACE + "\"");
        HttpResponse<String> answered =
                serving.send(
                        serving.request("/v1/loops").header("traceparent", TRACE).GET().build());
        assertThat(answered.headers().allValues("traceparent")).containsExactly(TRACE);
    }

    @Test
    void aMalformedTraceIsIgnored() {
        HttpResponse<String> answered =
                serving.send(
                        serving.request("/v1/loops")
                                .header("traceparent", TRACE.toUpperCase(Locale.ROOT))
                                .GET()
                                .build());
        assertThat(answered.statusCode()).isEqualTo(200);
        assertThat(answered.headers().allValues("traceparent")).isEmpty();
        assertThat(serving.get("/v1/loops").headers().allValues("traceparent")).isEmpty();
    }

    @Test
    void everyAnswerHasSecurityHeaders() {
        HttpResponse<String> response = serving.get("/nothing");
        assertThat(response.headers().firstValue("x-content-type-options")).hasValue("nosniff");
        assertThat(response.headers().firstValue("cache-control")).hasValue("no-store");
        assertThat(response.headers().firstValue("referrer-policy")).hasValue("no-referrer");
    }

    @Test
    void aFailureOfTheServerIsLoggedAndNotShown() {
        serving.topics().setDefect(new IllegalStateException("secret of a user"));
        HttpResponse<String> response =
                serving.send(
                        serving.request(RANK)
                                .header("x-request-id", "broken-1")
                                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                                .build());
        problem(500, "internal-error", "see its log", response);
        assertThat(response.body()).doesNotContain("secret");
        assertThat(serving.log())
                .contains("\"event\":\"request-failed\"")
                .contains("\"failure\":\"java.lang.IllegalStateException\"")
                .contains("\"requestId\":\"broken-1\"")
                .contains("\"route\":\"/v1/loops/{loop}/rank\"")
                .contains("\"at\":\"io.counterflow.serving.http.HttpFrontIT")
                .doesNotContain("secret");
    }

    @Test
    void refusalsAreNotLogged() {
        serving.get("/nothing");
        serving.post(RANK, "{");
        assertThat(serving.log()).isEmpty();
    }

    @Test
    void aClientThatSendsTooManyRequestsMustWait() {
        try (ServingFixture limited = ServingFixture.start("serving.requests-per-second: 3")) {
            HttpResponse<String> last = limited.get("/v1/loops");
            for (int i = 0; i < 100 && last.statusCode() == 200; i++) {
                last = limited.get("/v1/loops");
            }
            problem(429, "too-many-requests", "at most 3 requests per second", last);
            assertThat(last.headers().firstValue("retry-after")).hasValue("1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example",
                "Host: 127.0.0.1.evil.example",
                "Host: 127.0.0.1\r\nOrigin: http://evil.example",
                "Host: 127.0.0.1\r\nOrigin: null"
            })
    void anOpenServerRefusesPagesOfOtherSites(String headers) {
        assertThat(serving.rawStatus("/v1/loops", headers)).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: localhost\r\nOrigin: http://evil.example",
                "Host: localhost\r\nOrigin: null",
                "Host: rebound.example\r\nOrigin: http://rebound.example"
            })
    void aPostWithoutABodyFromAnotherSiteIsRefused(String headers) {
        String activate = "POST /v1/loops/home/events/e/activate HTTP/1.1\r\n";
        for (String more : new String[] {"", "\nserving.host: 0.0.0.0\nserving.auth: none"}) {
            try (ServingFixture open = ServingFixture.start("serving.name: s" + more);
                    RawConnection connection = new RawConnection(open.port())) {
                connection.send(activate + headers + "\r\nContent-Length: 0\r\n\r\n");
                assertThat(connection.status()).isEqualTo(403);
                assertThat(open.topics().keys(Topic.REWARDS)).isEmpty();
            }
        }
    }

    @Test
    void anOpenServerAnswersThisMachine() {
        String own = "127.0.0.1:" + serving.port();
        for (String headers :
                new String[] {
                    "Host: " + own,
                    "Host: localhost:" + serving.port(),
                    "Host: [::1]:" + serving.port(),
                    "Host: " + own + "\r\nOrigin: http://" + own
                }) {
            assertThat(serving.rawStatus("/v1/loops", headers)).as(headers).isEqualTo(200);
        }
    }

    @Test
    void anOpenServerOnAllAddressesAnswersItsNamesAndAddressesOnly() {
        try (ServingFixture open =
                ServingFixture.start(
                        """
                        serving.host: 0.0.0.0
                        serving.auth: none
                        serving.allowed-hosts: decisions.example, Serving
                        """)) {
            for (String host :
                    new String[] {
                        "decisions.example", "serving:80", "10.1.2.3", "[fd00::1]:8080", "LOCALHOST"
                    }) {
                assertThat(open.rawStatus("/v1/loops", "Host: " + host)).as(host).isEqualTo(200);
            }
            for (String headers :
                    new String[] {
                        "Host: evil.example",
                        "Host: 10.1.2.3.evil.example",
                        "Host: fd00.evil.example",
                        "Host: decisions.example\r\nOrigin: https://evil.example",
                        "Host: decisions.example\r\nOrigin: http://decisions.example:81"
                    }) {
                assertThat(open.rawStatus("/v1/loops", headers)).as(headers).isEqualTo(403);
            }
        }
    }

    @Test
    void aPathMustBeEncodedAsUrlsAre() {
        assertThat(serving.rawStatus("/v1/loops/%zz", "Host: localhost")).isEqualTo(400);
        problem(404, "unknown-loop", "\"a+b\"", serving.get("/v1/loops/a+b"));
    }
}
