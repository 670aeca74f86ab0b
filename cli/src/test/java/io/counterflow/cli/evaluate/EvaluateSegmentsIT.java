package io.counterflow.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Evaluation by segment. */
final class EvaluateSegmentsIT {

    @TempDir private Path dir;

    private static JsonNode by(Path log, String feature, Object... more) throws IOException {
        Object[] words = {
            "evaluate", "--log", log, "--policy", "uniform", "--policy", "first", "--by", feature
        };
        Object[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return OfflineCommands.json(all);
    }

    private static List<String> names(JsonNode report) {
        return StreamSupport.stream(report.path("segments").spliterator(), false)
                .map(it -> it.path("segment").asText())
                .toList();
    }

    @Test
    void aSegmentHasTheNumbersOfItsPartOfTheLog() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 1_000, 0.3, 1, "");
        Path german =
                Files.write(
                        dir.resolve("de.jsonl"),
                        Files.readAllLines(log).stream()
                                .filter(line -> line.contains("\"de\""))
                                .toList());

        JsonNode report = by(log, "user.country");

        assertThat(report.path("by").asText()).isEqualTo("user.country");
        assertThat(report.path("n").asInt()).isEqualTo(1_000);
        assertThat(names(report)).containsExactlyInAnyOrder("de", "fr");
        int n = 0;
        for (JsonNode segment : report.path("segments")) {
            n += segment.path("n").asInt();
            assertThat(segment.path("policies")).hasSize(2);
            if (segment.path("segment").asText().equals("de")) {
                JsonNode alone =
                        OfflineCommands.json("evaluate", "--log", german, "--policy", "uniform");
                JsonNode uniform = segment.path("policies").get(0);
                for (String field :
                        List.of("n", "ips", "selfNormalized", "logSmoothed", "meanWeight")) {
                    assertThat(uniform.get(field)).as(field).isEqualTo(alone.get(field));
                }
                assertThat(uniform.path("intervals").path("ips"))
                        .isEqualTo(alone.path("intervals").path("ips"));
                assertThat(uniform.has("doublyRobust")).isTrue();
            }
        }
        assertThat(n).isEqualTo(1_000);
    }

    @Test
    void rareValuesAreOneSegment() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 700, 0.3, 1, "");

        JsonNode report = by(log, "@weekday", "--max-segments", 2);

        assertThat(names(report)).containsExactly("friday", "monday", "(other)");
        assertThat(report.path("segments").get(2).path("n").asInt()).isEqualTo(500);
        assertThat(report.path("segments").get(2).path("combinedValues").asInt()).isEqualTo(5);
    }

    @Test
    void contextsWithoutTheFeatureAreASegment() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 300, 0.3, 1, "");
        JsonNode report = by(log, "user.vip");
        assertThat(names(report)).containsExactly("(missing)", "true");
        assertThat(report.path("segments").get(1).path("n").asInt()).isEqualTo(100);
    }

    @Test
    void refusesWhatDividesNothing() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 300, 0.3, 1, "");
        Path dense = SimulatedLogs.dense(dir.resolve("dense.jsonl"), 10, 1, true);
        assertThat(refusal(log, "user.age")).contains("no context of the log has this feature");
        assertThat(refusal(log, "@action")).contains("--by must be a feature of the context");
        assertThat(refusal(dense, "user.country")).contains("the log has context vectors");
    }

    @Test
    void refusesAnIdentifier() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i <= Segments.MAX_VALUES; i++) {
            lines.append(
                    "{\"context\":{\"features\":{\"id\":\"u%d\"}},\"actions\":[{\"id\":\"a\"}],\"action\":0,\"propensity\":1,\"reward\":0}\n"
                            .formatted(i));
        }
        Path log = Files.writeString(dir.resolve("log.jsonl"), lines);
        assertThat(refusal(log, "id")).contains("must have at most 10,000 values");
    }

    private static String refusal(Path log, String feature) {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("evaluate", "--log", log, "--policy", "uniform", "--by", feature))
                .isEqualTo(2);
        return commands.err();
    }

    @Test
    void valuesDoNotControlTheTerminal() throws IOException {
        Path log =
                EvaluationLogs.lines(
                        dir.resolve("log.jsonl"),
                        20,
                        "\"context\":{\"features\":{\"x\":\"a\\u001b[31m\"}},"
                                + "\"actions\":[{\"id\":\"a\"}],\"action\":0,"
                                + "\"propensity\":1,\"reward\":1");
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("evaluate", "--log", log, "--policy", "first", "--by", "x"))
                .isZero();
        assertThat(commands.out()).contains("x = a?[31m: 20 examples").doesNotContain("\u001b");
    }

    @Test
    void theTextHasATablePerSegment() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 1_000, 0.3, 1, "");
        OfflineCommands commands = new OfflineCommands();
        assertThat(
                        commands.run(
                                "evaluate",
                                "--log",
                                log,
                                "--policy",
                                "uniform",
                                "--by",
                                "user.country"))
                .isZero();
        assertThat(commands.out())
                .contains("user.country = de: ")
                .contains("user.country = fr: ")
                .contains("(logged)")
                .contains("each interval misses with probability 0.05 on its own");
    }
}
