package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.serving.auth.TokenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ClientExampleIT {

    private static final Pattern JAVA = Pattern.compile("```java\\R(.*?)\\R```", Pattern.DOTALL);

    @Test
    void theDocumentationShowsTheCodeThatRunsHere() throws Exception {
        String code =
                withoutIndentation(
                        Files.readString(
                                Path.of(
                                        "src/test/java/io/counterflow/e2e/serving/ClientExample.java")));
        String readme =
                Files.readString(Path.of("..", "README.md"))
                        .replace("URI.create(\"http://localhost:8080\")", "server")
                        .replace("System.out.println(", "page.accept(");
        String serving = Files.readString(Path.of("..", "docs", "serving.md"));
        Matcher shown = JAVA.matcher(readme + serving);
        int blocks = 0;
        while (shown.find()) {
            assertThat(code).contains(withoutIndentation(shown.group(1)));
            blocks++;
        }
        assertThat(blocks).as("blocks of Java").isEqualTo(4);
    }

    private static String withoutIndentation(String code) {
        return code.replaceAll("\\s+", " ").replace("( ", "(").strip();
    }

    @Test
    void theExampleLogsItsDecisionsAndSendsAReward(@TempDir Path directory) throws Exception {
        String token = "a-token-of-this-test";
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "example rank,reward,admin sha256:" + TokenFile.hash(token));
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.start(directory.resolve("k"), EmbeddedKafka.FREE_PORT);
                RunningServing serving =
                        RunningServing.start(
                                kafka.bootstrapServers(), "serving.tokens-file: " + tokens)) {
            assertThat(
                            serving.send(
                                            serving.request("/v1/loops/front-page")
                                                    .header("authorization", "Bearer " + token)
                                                    .PUT(
                                                            java.net.http.HttpRequest.BodyPublishers
                                                                    .ofString("{\"bits\":18}"))
                                                    .build())
                                    .statusCode())
                    .isEqualTo(201);
            List<String> shown = new ArrayList<>();
            List<String> warnings = new ArrayList<>();
            ClientExample.overHttp(serving.uri(""), token, shown::add);
            ClientExample.inThisProcess(kafka.bootstrapServers(), warnings::add, shown::add);
            assertThat(warnings).isEmpty();

            assertThat(shown).hasSize(2).isSubsetOf("derby", "budget");
            var logged = serving.impressions();
            assertThat(logged).hasSize(2);
            assertThat(serving.rewards())
                    .singleElement()
                    .satisfies(it -> assertThat(it.getValue()).isEqualTo(1.0));
            assertThat(logged)
                    .anyMatch(it -> it.getEventId().equals(serving.rewards().get(0).getEventId()));
        }
    }
}
