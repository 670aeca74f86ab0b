package io.counterflow.serving.dashboard;

import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DashboardEndpointsIT {

    private static final ServingFixture SERVING = ServingFixture.start();
    private static final Pattern LINK = Pattern.compile("(?:src|href)=\"/?(dashboard/[^\"]+)\"");

    @AfterAll
    static void close() {
        SERVING.close();
    }

    @Test
    void thePageAndItsFilesAreServed() {
        HttpResponse<String> page = SERVING.get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
        Matcher links = LINK.matcher(page.body());
        int found = 0;
        while (links.find()) {
            assertThat(SERVING.get("/" + links.group(1)).statusCode())
                    .as(links.group(1))
                    .isEqualTo(200);
            found++;
        }
        assertThat(found).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "app.js, text/javascript; charset=utf-8",
        "style.css, text/css; charset=utf-8",
        "icon.svg, image/svg+xml"
    })
    void aFileHasItsContentType(String file, String contentType) {
        assertThat(SERVING.get("/dashboard/" + file).headers().firstValue("content-type"))
                .hasValue(contentType);
    }

    @Test
    void aFileThatHasNotChangedIsNotSentAgain() {
        HttpResponse<String> first = SERVING.get("/dashboard/app.js");
        String tag = first.headers().firstValue("etag").orElseThrow();
        assertThat(tag).matches("\"[0-9a-f]{32}\"");
        assertThat(first.headers().firstValue("cache-control")).hasValue("no-cache");
        HttpResponse<String> again =
                SERVING.send(
                        SERVING.request("/dashboard/app.js")
                                .header("if-none-match", tag)
                                .GET()
                                .build());
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        HttpResponse<String> other =
                SERVING.send(
                        SERVING.request("/dashboard/app.js")
                                .header("if-none-match", "\"0\"")
                                .GET()
                                .build());
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(other.body()).isEqualTo(first.body());
    }

    @Test
    void browsersMayDoNothingWithThePageButShowIt() {
        HttpResponse<String> page = SERVING.get("/");
        assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'");
        assertThat(page.headers().firstValue("x-frame-options")).hasValue("DENY");
        assertThat(page.headers().firstValue("cross-origin-opener-policy")).hasValue("same-origin");
        assertThat(page.headers().firstValue("permissions-policy").orElseThrow())
                .contains("camera=()");
    }

    @ParameterizedTest
    @CsvSource({"nothing.js", "index.html", "..%2Fopenapi.yaml", "%2e%2e"})
    void otherFilesAreNotServed(String file) {
        problem(404, "not-found", "", SERVING.get("/dashboard/" + file));
    }

    @Test
    void theDescriptionOfTheApiIsServed() {
        HttpResponse<String> response = SERVING.get("/openapi.yaml");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/yaml");
        assertThat(response.body()).startsWith("openapi: 3.1.0");
    }
}
