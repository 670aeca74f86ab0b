package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.Program;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs of docs/kafka.md, which use clients for Kafka and Avro that are not ours. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class KafkaExamplesIT {

    private static final Path EXAMPLES = Path.of("../docs/examples/kafka").toAbsolutePath();
    private static final int DECISIONS = 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private Path directory;

    @Test
    void theJobLearnsFromTheProducerAndTheConsumerReadsIt(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        Program node = NodePrograms.node();
        Map<String, String> packages = NodePrograms.packages("kafkajs");
        RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
        try (RunningServing serving = RunningServing.start(kafka, "")) {
            assertThat(
                            serving.put(
                                            "/v1/loops/front-page",
                                            "{\"bits\":8,\"snapshotExamples\":10}")
                                    .statusCode())
                    .isEqualTo(201);
            String address = serving.uri("").toString();

            Program.Result produced =
                    node.run(
                            packages,
                            EXAMPLES.resolve("producer.js").toString(),
                            kafka.bootstrapServers(),
                            address,
                            kafka.prefix(),
                            "front-page",
                            Integer.toString(DECISIONS));
            assertThat(produced.exitCode()).as(produced.output()).isZero();
            Map<String, JsonNode> decisions = new HashMap<>();
            for (JsonNode decision : lines(produced.output())) {
                decisions.put(decision.get("eventId").asText(), decision);
            }
            assertThat(decisions).hasSize(DECISIONS);

            List<JsonNode> consumed =
                    consume(node, packages, kafka, address, it -> isComplete(it, decisions));
            assertThat(examples(consumed)).hasSize(DECISIONS);
            for (JsonNode example : examples(consumed)) {
                JsonNode decision =
                        Objects.requireNonNull(decisions.get(example.get("eventId").asText()));
                assertThat(example.get("action")).isEqualTo(decision.get("action"));
                assertThat(example.get("reward")).isEqualTo(decision.get("value"));
                assertThat(example.get("propensity").asDouble()).isCloseTo(1 / 3.0, within(1e-15));
            }
            everyRecordIsOnATopicOfItsSchema(kafka, serving);
        } finally {
            job.stop();
        }
    }

    /** The JSON that a program prints, without warnings of kafkajs, which are JSON too. */
    private static List<JsonNode> lines(String output) throws JsonProcessingException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : output.lines().filter(KafkaExamplesIT::isResult).toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    private static boolean isResult(String line) {
        return line.startsWith("{\"") && !line.startsWith("{\"level\"");
    }

    private static List<JsonNode> examples(List<JsonNode> lines) {
        return lines.stream().filter(it -> it.path("kind").asText().equals("EXAMPLE")).toList();
    }

    /** Whether all decisions have become examples, and a version was learned from them. */
    private static boolean isComplete(List<JsonNode> lines, Map<String, JsonNode> decisions) {
        Set<String> learned =
                examples(lines).stream()
                        .map(it -> it.get("eventId").asText())
                        .collect(Collectors.toSet());
        return learned.equals(decisions.keySet())
                && lines.stream().anyMatch(it -> it.path("version").asLong() > 0);
    }

    private interface Condition {
        boolean holds(List<JsonNode> lines) throws IOException;
    }

    /** Runs the consumer until it has printed enough, and ends it as Ctrl-C does. */
    private List<JsonNode> consume(
            Program node,
            Map<String, String> packages,
            SharedKafka kafka,
            String address,
            Condition enough)
            throws IOException, InterruptedException {
        Path out = directory.resolve("consumer.out");
        ProcessBuilder builder =
                new ProcessBuilder(
                                node.path().toString(),
                                EXAMPLES.resolve("consumer.js").toString(),
                                kafka.bootstrapServers(),
                                address,
                                kafka.prefix(),
                                kafka.prefix() + "-consumer")
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile());
        builder.environment().putAll(packages);
        Process process = builder.start();
        try {
            RunningServing.await(
                    "what the consumer prints",
                    () -> {
                        try {
                            assertThat(process.isAlive()).as(Files.readString(out)).isTrue();
                            String printed = Files.readString(out);
                            String whole = printed.substring(0, printed.lastIndexOf('\n') + 1);
                            return enough.holds(lines(whole));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS))
                    .as("ends when it is told to")
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(out)).isZero();
            return lines(Files.readString(out));
        } finally {
            process.destroyForcibly();
        }
    }

    /** The list of {@code GET /v1/schemas} is what is really on the topics. */
    private static void everyRecordIsOnATopicOfItsSchema(SharedKafka kafka, RunningServing serving)
            throws Exception {
        Map<String, Set<String>> listed = new HashMap<>();
        for (JsonNode topic : RunningServing.json(serving.get("/v1/schemas")).get("topics")) {
            listed.put(
                    topic.get("topic").asText(),
                    new HashSet<>(topic.get("schemas").findValuesAsText("fingerprint")));
        }
        Set<Topic> seen = new TreeSet<>();
        try (TopicReader reader = new TopicReader(kafka.config())) {
            for (Topic topic : Topic.values()) {
                String name = kafka.topics().name(topic);
                reader.read(
                        name,
                        record -> {
                            if (record.value() != null) {
                                seen.add(topic);
                                assertThat(HexFormat.of().formatHex(record.value(), 2, 10))
                                        .as(name)
                                        .isIn(listed.getOrDefault(name, Set.of()));
                            }
                        });
            }
        }
        assertThat(seen)
                .contains(
                        Topic.IMPRESSIONS,
                        Topic.REWARDS,
                        Topic.JOURNAL,
                        Topic.LOOPS,
                        Topic.POLICY_SNAPSHOTS,
                        Topic.ROLLOUTS,
                        Topic.LOOP_COUNTS,
                        Topic.CHECKPOINTS);
    }
}
