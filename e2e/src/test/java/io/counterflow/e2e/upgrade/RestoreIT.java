package io.counterflow.e2e.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.e2e.serving.RunningServing;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.e2e.streaming.StreamResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The steps of "Back up and restore" in docs/operations.md. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RestoreIT {

    private static final List<String> QUESTIONS = List.of("q-1", "q-2", "q-3");
    private static final String PARTITIONS = "kafka.event-partitions: 2\nkafka.partitions: 2\n";

    @TempDir private Path directory;

    private Path folder(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    private static String settings(SharedKafka kafka) {
        return """
        kafka.topic-prefix: %s
        job.name: %s
        checkpoint.interval: 300ms
        watermarks.max-out-of-orderness: 200ms
        """
                        .formatted(kafka.prefix(), kafka.prefix())
                + PARTITIONS;
    }

    @Test
    void aDeploymentIsRestoredOnOtherBrokers(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        Path backup = directory.resolve("backup");
        Path savepoint;
        JsonNode answers;
        StreamResults results;
        try (StoredDeployment original =
                new StoredDeployment(
                        flink, kafka.bootstrapServers(), folder("original"), settings(kafka))) {
            original.startJob();
            try (RunningServing serving = original.serve()) {
                SampleTraffic traffic = new SampleTraffic(serving);
                traffic.createLoops();
                traffic.send("before", 32);
                original.await("versions", () -> original.results().versions().size() >= 4);
                traffic.send("waiting", 3);
                savepoint = original.stopJob(directory.resolve("original"));
                traffic.send("unread", 3);
                OfflineCommands.json("backup", "--config", original.file(), "--out", backup);
                answers = traffic.answers(QUESTIONS);
            }
            results = original.results();
            assertLastPoliciesStartAnotherDeployment(kafka, flink, original, answers);
        }

        try (EmbeddedKafka other =
                        EmbeddedKafka.start(directory.resolve("k"), EmbeddedKafka.FREE_PORT);
                StoredDeployment restored =
                        new StoredDeployment(
                                flink,
                                other.bootstrapServers(),
                                folder("restored"),
                                settings(kafka))) {
            OfflineCommands.json("restore", "--config", restored.file(), "--in", backup);
            assertThat(restored.results().snapshots()).isEqualTo(results.snapshots());
            try (RunningServing serving = restored.serve()) {
                SampleTraffic traffic = new SampleTraffic(serving);
                assertThat(traffic.answers(QUESTIONS)).isEqualTo(answers);
                restored.startJob(savepoint);
                traffic.send("after", 10);
                restored.awaitNone("decisions that were not learned", restored::unlearned);
                restored.stopJob(directory.resolve("restored"));
            }
            restored.journal().assertGapless();
            assertThat(restored.journal().rewards()).hasSizeGreaterThan(5 * (32 + 3 + 3 + 10));
        }
    }

    /** Without the state of the job, loops start over with what they have learned. */
    private void assertLastPoliciesStartAnotherDeployment(
            SharedKafka kafka, EmbeddedFlink flink, StoredDeployment original, JsonNode answers)
            throws Exception {
        Path policies = directory.resolve("policies");
        OfflineCommands.json(
                "export",
                "--config",
                original.file(),
                "--loop",
                "articles",
                "--format",
                "jsonl",
                "--out",
                directory.resolve("articles.jsonl.gz"),
                "--policies",
                policies);
        JsonNode served = answers.get(0);
        long version = served.get("policyVersion").asLong();
        assertThat(version).isPositive();
        JsonNode policy =
                OfflineCommands.json(
                        "inspect",
                        policies.resolve("articles-v%d.snapshot".formatted(version)),
                        "--weights");
        ObjectNode spec =
                (ObjectNode)
                        StoredRelease.JSON.readTree(
                                SampleTraffic.SPECS.getOrDefault("articles", ""));
        spec.set("startingPolicy", policy);
        try (StoredDeployment another =
                        new StoredDeployment(
                                flink,
                                kafka.bootstrapServers(),
                                folder("another"),
                                settings(kafka).replace(kafka.prefix(), kafka.prefix() + "-2"));
                RunningServing serving = another.serve()) {
            var created = serving.put("/v1/loops/articles", spec.toString());
            assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
            String id = served.get("eventId").asText();
            JsonNode answer =
                    RunningServing.json(
                            serving.post(
                                    "/v1/loops/articles/rank",
                                    SampleTraffic.question("articles", id).toString()));
            assertThat(answer.get("ranking")).isEqualTo(served.get("ranking"));
            assertThat(answer.get("action")).isEqualTo(served.get("action"));
        }
    }

    @Test
    void thePageHasTheseSteps() throws IOException {
        Path page = Path.of("").toAbsolutePath().resolveSibling("docs/operations.md");
        try (Stream<String> lines = Files.lines(page)) {
            assertThat(lines.map(String::strip))
                    .contains(
                            "$ bin/counterflow backup --config counterflow.yaml --out backup",
                            "$ bin/counterflow restore --config counterflow.yaml --in backup");
        }
    }
}
