package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard with a token, and without loops. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class DashboardAccessIT {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir private static Path directory;
    private static ServingProcess serving;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        Path tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                "reader read sha256:%s\nboss read,admin sha256:%s\n"
                        .formatted(hash("reader-token"), hash("boss-token")));
        serving =
                ServingProcess.start(
                        ServingConfig.parse(
                                """
                                %s
                                kafka.event-partitions: 1
                                kafka.partitions: 1
                                serving.port: 0
                                serving.management.port: 0
                                serving.tokens-file: %s
                                """
                                        .formatted(kafka.settings(), tokens),
                                Map.of()),
                        new ServingLog(
                                new PrintStream(
                                        OutputStream.nullOutputStream(),
                                        true,
                                        StandardCharsets.UTF_8),
                                Clock.systemUTC()),
                        Clock.systemUTC());
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static String hash(String token) throws Exception {
        return HexFormat.of()
                .formatHex(
                        MessageDigest.getInstance("SHA-256")
                                .digest(token.getBytes(StandardCharsets.UTF_8)));
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + serving.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void thePageNeedsNoTokenHasAStrictPolicyAndIsCached() throws Exception {
        HttpResponse<String> page = get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("cache-control")).hasValue("no-cache");
        assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
                .doesNotContain("unsafe");
        assertThat(page.body()).doesNotContain("style=", "onclick", "http://", "https://");
        String tag = page.headers().firstValue("etag").orElseThrow();
        HttpResponse<String> again = get("/", "if-none-match", tag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(get("/dashboard/app.js").headers().firstValue("content-type"))
                .hasValue("text/javascript; charset=utf-8");
        assertThat(get("/dashboard/..%2Fopenapi.yaml").statusCode()).isEqualTo(404);
        assertThat(get("/dashboard/package-info.class").statusCode()).isEqualTo(404);
    }

    @Test
    void thePageAsksForATokenAndKeepsItInTheTabOnly() throws Exception {
        try (Chromium chromium = Chromium.start(directory);
                BrowserPage page = chromium.open()) {
            page.go("http://127.0.0.1:" + serving.port() + "/");
            page.await("the question", "document.querySelector('#token-dialog')?.open", SOON);
            assertThat(page.text("#connection-text")).isEqualTo("a token is needed");
            page.fill("#token-input", "wrong");
            page.click("#token-form button[value=use]");
            page.await(
                    "the question again",
                    "document.querySelector('#token-dialog').open &&"
                            + " document.querySelector('#token-why').textContent.includes('not known')",
                    SOON);
            page.fill("#token-input", "reader-token");
            page.click("#token-form button[value=use]");
            page.await("that there are no loops", "!document.querySelector('#empty').hidden", SOON);
            assertThat(page.text("#empty-command"))
                    .contains("curl -X PUT http://127.0.0.1:" + serving.port() + "/v1/loops/home");
            assertThat(page.text("#empty-command")).doesNotContain("reader-token");
            assertThat(page.evaluate("localStorage.length + document.cookie.length").asInt())
                    .isZero();

            HttpResponse<String> made =
                    CLIENT.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:"
                                                            + serving.port()
                                                            + "/v1/loops/home"))
                                    .header("authorization", "Bearer boss-token")
                                    .header("content-type", "application/json")
                                    .PUT(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"actions\":[\"a\",\"b\"],\"features\":2}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
            page.await(
                    "the loop without traffic or job",
                    "document.querySelector('.stage-joined')?.dataset.state === 'stalled'",
                    SOON);
            assertThat(page.text(".stage-joined")).contains("The job has never read these topics");
            page.await(
                    "that nobody brings decisions", // the records of the job are counted first
                    "document.querySelector('.stage-decisions').textContent.includes('No decision"
                            + " within the last')",
                    SOON);
            assertThat(page.text("#reward-chart")).contains("No windows yet");
        }
    }
}
