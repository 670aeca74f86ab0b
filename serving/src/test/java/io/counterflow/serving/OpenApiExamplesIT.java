package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A server accepts the requests that the OpenAPI document shows. */
final class OpenApiExamplesIT {

    private static JsonNode document() throws IOException {
        try (InputStream in = OpenApiExamplesIT.class.getResourceAsStream("openapi.yaml")) {
            return new YAMLMapper().readTree(in);
        }
    }

    @Test
    void theRequestsAreAccepted() throws IOException {
        Set<String> sent = new TreeSet<>();
        try (ServingFixture serving = ServingFixture.start()) {
            for (Map.Entry<String, JsonNode> path : document().get("paths").properties()) {
                for (Map.Entry<String, JsonNode> call : path.getValue().properties()) {
                    String id = call.getValue().path("operationId").asText();
                    JsonNode examples =
                            call.getValue()
                                    .at("/requestBody/content/application~1json")
                                    .path("examples");
                    for (Map.Entry<String, JsonNode> example : examples.properties()) {
                        String body = example.getValue().get("value").toString();
                        String url =
                                path.getKey()
                                        .replace("{loop}", loopOf(example.getKey()))
                                        .replace("{eventId}", "visit-1");
                        HttpRequest request =
                                serving.request(url)
                                        .method(
                                                call.getKey().toUpperCase(Locale.ROOT),
                                                HttpRequest.BodyPublishers.ofString(body))
                                        .build();
                        var answer = serving.send(request);
                        assertThat(answer.statusCode())
                                .as("%s %s: %s", id, example.getKey(), answer.body())
                                .isBetween(200, 299);
                        sent.add(id + " " + example.getKey());
                    }
                }
            }
        }
        assertThat(sent)
                .containsExactly(
                        "askRollout canary",
                        "askRollout promote",
                        "putLoop named",
                        "putLoop vectors",
                        "rank named",
                        "rank sparse",
                        "rank vectors",
                        "reward click",
                        "reward minutes");
    }

    private static String loopOf(String example) {
        return example.equals("vectors") || example.equals("sparse") ? "vectors" : "named";
    }
}
