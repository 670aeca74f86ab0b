package io.counterflow.serving.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ServingLogTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ServingLog log =
            new ServingLog(
                    new PrintStream(out, true, StandardCharsets.UTF_8),
                    Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC));

    @Test
    void anEventIsOneLineOfJsonWithSortedFields() {
        log.info("started", Map.of("port", "8080", "managementPort", "8081"));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualToNormalizingNewlines(
                        "{\"time\":\"2026-01-02T03:04:05Z\",\"level\":\"info\",\"event\":\"started\","
                                + "\"managementPort\":\"8081\",\"port\":\"8080\"}\n");
    }

    @Test
    void aMessageCannotStartAnotherLine() {
        log.warn("record-refused", "line 1\nline 2 \"quoted\"");
        String line = out.toString(StandardCharsets.UTF_8);
        assertThat(line.strip()).hasLineCount(1);
        assertThat(line).contains("\"level\":\"warn\"").contains("line 1\\nline 2 \\\"quoted\\\"");
    }

    @Test
    void anErrorHasItsLevel() {
        log.error("request-failed", Map.of("route", "/v1/loops"));
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"level\":\"error\"");
    }
}
