package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ProblemExceptionTest {

    private static String document(ProblemException problem) {
        return problem.reply("r-1").body().toString(StandardCharsets.UTF_8);
    }

    @Test
    void theDocumentHasTheFieldsOfRfc9457() {
        assertThat(document(new ProblemException(404, "unknown-version", "version 3 is unknown")))
                .isEqualTo(
                        "{\"type\":\"urn:counterflow:problem:unknown-version\","
                                + "\"title\":\"unknown version\",\"status\":404,"
                                + "\"detail\":\"version 3 is unknown\","
                                + "\"instance\":\"urn:counterflow:request:r-1\"}");
    }

    @Test
    void extensionsFollowByName() {
        ProblemException problem =
                new ProblemException(409, "change-refused", "no")
                        .with("n", 3L)
                        .with("fields", List.of(Map.of("name", "bits")))
                        .with("id", "x");
        assertThat(document(problem))
                .endsWith("r-1\",\"fields\":[{\"name\":\"bits\"}],\"id\":\"x\",\"n\":3}");
    }

    @Test
    void onlyTemporaryProblemsSayWhenToRetry() {
        assertThat(ProblemException.notLogged("later").reply("r").headers())
                .containsKey("retry-after");
        assertThat(new ProblemException(429, "too-many-requests", "x").reply("r").headers())
                .containsKey("retry-after");
        assertThat(new ProblemException(400, "bad-request", "x").reply("r").headers())
                .doesNotContainKey("retry-after");
    }
}
