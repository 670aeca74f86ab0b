package io.counterflow.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies side by side, from snapshots, names and files. */
final class EvaluatePoliciesIT {

    @TempDir private Path dir;

    private static JsonNode evaluate(Path log, Object... policies) throws IOException {
        List<Object> words = new ArrayList<>(List.of("evaluate", "--log", log));
        for (Object policy : policies) {
            words.addAll(List.of("--policy", policy));
        }
        return OfflineCommands.json(words.toArray());
    }

    private String refusal(Object... words) {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run(words)).as(commands.out()).isEqualTo(2);
        return commands.err();
    }

    @Test
    void severalPoliciesHaveTheSameNumbersAsEachAlone() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 2_000, 1, true);
        Path snapshot = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));

        JsonNode together = evaluate(log, snapshot, "uniform", "first");

        assertThat(together.path("n").asInt()).isEqualTo(2_000);
        assertThat(together.path("loop").asText()).isEqualTo("home");
        assertThat(together.path("policies")).hasSize(3);
        for (JsonNode one : together.path("policies")) {
            JsonNode alone = evaluate(log, one.path("policy").asText());
            one.fieldNames()
                    .forEachRemaining(
                            field ->
                                    assertThat(one.get(field))
                                            .as(field)
                                            .isEqualTo(alone.get(field)));
            assertThat(one.path("n").asInt()).isEqualTo(2_000);
        }
    }

    @Test
    void theDoublyRobustEstimateIsThatOfTheReferenceImplementation() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 1_000, 1, true);
        ExampleLog examples = SimulatedLogs.examples(1_000, 1);
        DenseModel shape = DenseModel.zeros(SimulatedLogs.ACTIONS, SimulatedLogs.DIMENSION);
        PolicyEvaluation reference = new PolicyEvaluation(0.01, 0.1);
        reference.addAll(
                examples,
                Policy.uniform(shape),
                CrossFittedRewardModel.fit(examples, shape, 2, RidgeConfig.DEFAULT));

        JsonNode report = evaluate(log, "uniform");

        assertThat(report.path("doublyRobust").asDouble())
                .isCloseTo(
                        reference.result(0.05).doublyRobust().orElseThrow().value(), within(1e-9));
    }

    @Test
    void firstIsThePolicyOfTheFirstAllowedAction() throws IOException {
        String line =
                "\"context\":{\"dense\":[1]},\"action\":%d,\"propensity\":0.5,\"reward\":1,"
                        + "\"excludedActions\":[0]";
        Path one = EvaluationLogs.lines(dir.resolve("1.jsonl"), 20, line.formatted(1));
        Path two = EvaluationLogs.lines(dir.resolve("2.jsonl"), 20, line.formatted(2));

        assertThat(
                        OfflineCommands.json("evaluate", "--log", one, two, "--policy", "first")
                                .path("ips")
                                .asDouble())
                .isCloseTo(1.0, within(1e-12));
        assertThat(evaluate(two, "first").path("ips").asDouble()).isZero();
    }

    /** Probabilities of a policy that another program might have computed. */
    private List<double[]> probabilities(ExampleLog log) {
        Policy policy = Policy.softmax(SimulatedLogs.LOGGING);
        List<double[]> all = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            double[] p = new double[SimulatedLogs.ACTIONS];
            policy.probabilities(log.features(i), AllowedActions.ALL, p);
            all.add(p);
        }
        return all;
    }

    @Test
    void aFileOfProbabilitiesHasTheNumbersOfItsPolicy() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 1_000, 1, true);
        ExampleLog examples = SimulatedLogs.examples(1_000, 1);
        Path snapshot = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));
        StringBuilder json = new StringBuilder();
        StringBuilder csv = new StringBuilder("eventId,0,1,2,3\n");
        StringBuilder logged = new StringBuilder("eventId,probability\n");
        List<double[]> all = probabilities(examples);
        for (int i = all.size() - 1; i >= 0; i--) { // in another order than the log
            double[] p = all.get(i);
            json.append(
                    "{\"x\":{\"y\":[1]},\"distribution\":%s,\"eventId\":\"e-%d\"}\n"
                            .formatted(Arrays.toString(p), i));
            csv.append(
                    "e-%d,%s\n"
                            .formatted(
                                    i,
                                    Arrays.stream(p)
                                            .mapToObj(Double::toString)
                                            .collect(Collectors.joining(","))));
            logged.append("e-%d,%s\n".formatted(i, p[examples.action(i)]));
        }
        json.append("{\"eventId\":\"another\",\"distribution\":[1]}\n");
        Path jsonFile = Files.writeString(dir.resolve("mine.jsonl"), json);
        Path csvFile = Files.writeString(dir.resolve("mine.csv"), csv);
        Path loggedFile = Files.writeString(dir.resolve("logged.csv"), logged);

        JsonNode policies = evaluate(log, snapshot, jsonFile, csvFile, loggedFile).path("policies");

        JsonNode expected = policies.get(0);
        for (int k = 1; k <= 3; k++) {
            JsonNode found = policies.get(k);
            for (String field : List.of("ips", "selfNormalized", "effectiveSampleSize")) {
                assertThat(found.path(field).asDouble())
                        .as(field)
                        .isCloseTo(expected.path(field).asDouble(), within(1e-9));
            }
            assertThat(found.has("doublyRobust")).isEqualTo(k < 3);
        }
        assertThat(policies.get(1).path("doublyRobust").asDouble())
                .isCloseTo(expected.path("doublyRobust").asDouble(), within(1e-9));
    }

    @Test
    void aFieldOfTheLogItselfIsAPolicy() throws IOException {
        Path log =
                EvaluationLogs.named(
                        dir.resolve("log.jsonl"), 400, 0.3, 1, ",\"next\":[0.25,0.25,0.5,0]");

        JsonNode policies = evaluate(log, "uniform", log + "#next").path("policies");

        assertThat(policies.get(1).path("policy").asText()).endsWith("log.jsonl#next");
        assertThat(policies.get(1).path("maxWeight").asDouble()).isEqualTo(2.0);
        assertThat(policies.get(1).path("largestPossibleWeight").asDouble()).isEqualTo(2.0);
        assertThat(policies.get(0).path("maxWeight").asDouble()).isEqualTo(1.0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mine.jsonl| {\"eventId\":\"e-0\",\"distribution\":[0.5,0.5]}| there must be 4"
                        + " probabilities, one for each action, got 2",
                "mine.jsonl| {\"eventId\":\"e-0\",\"distribution\":[0.5,0.5,0.5,0]}| must sum to 1,"
                        + " got 1.5",
                "mine.jsonl| {\"eventId\":\"e-0\",\"distribution\":[2,-1,0,0]}| must be in [0, 1]",
                "mine.jsonl| {\"eventId\":\"e-0\",\"distribution\":[\"1\",0,0,0]}| distribution[0]"
                        + " must be a number",
                "mine.jsonl| {\"eventId\":\"e-0\"}| distribution or probability must be given",
                "mine.jsonl| {\"distribution\":[1,0,0,0]}| eventId must be given",
                "mine.jsonl| [1,0]| line 1: must be a JSON object",
                "mine.jsonl| {\"eventId\":\"e-0\"| must be one JSON object",
                "mine.jsonl| {\"eventId\":\"e-0\",\"probability\":0.5}| 2 of 3 have none, such as"
                        + " \"e-1\"",
                "mine.csv| eventId;0| the columns must be eventId and then 0,1,2,",
                "mine.csv| id,0,1,2,3| the columns must be eventId and then 0,1,2,",
                "mine.csv| eventId,0,1,2,3| has no probabilities"
            })
    void refusesFilesThatDoNotFit(String name, String content, String message) throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 3, 0.3, 1, "");
        Path file = Files.writeString(dir.resolve(name), content + "\n");
        assertThat(refusal("evaluate", "--log", log, "--policy", file)).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "e-0,0.5,0.5,0| the row must have 5 fields, as the header has, got 4",
                "e-0,1,0,0,x| column 3 must be a number",
                "e-0,NaN,0,0,1| must be in [0, 1], got NaN",
                "'\"e-0\",1,0,0,0'| fields must not be in quotes"
            })
    void refusesRowsThatDoNotFit(String row, String message) throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 3, 0.3, 1, "");
        Path file = Files.writeString(dir.resolve("m.csv"), "eventId,0,1,2,3\n" + row + "\n");
        assertThat(refusal("evaluate", "--log", log, "--policy", file))
                .contains("m.csv, line 2: ")
                .contains(message);
    }

    @Test
    void refusesEventsThatAreThereTwice() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 3, 0.3, 1, "");
        String line = "{\"eventId\":\"e-0\",\"distribution\":[1,0,0,0]}\n";
        Path twice = Files.writeString(dir.resolve("twice.jsonl"), line + line);
        assertThat(refusal("evaluate", "--log", log, "--policy", twice))
                .contains("line 2: there must be one line per event, got \"e-0\" again");
        assertThat(refusal("evaluate", "--log", log, log, "--policy", twice))
                .contains("the log has the event \"e-0\" more than once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none.jsonl", "none.csv.gz", "none.jsonl#x"})
    void refusesFilesThatAreNotThere(String name) throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 3, 0.3, 1, "");
        assertThat(refusal("evaluate", "--log", log, "--policy", dir.resolve(name)))
                .contains("there is no such file");
    }

    @Test
    void refusesAPolicyThatIsNamedTwice() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 3, 0.3, 1, "");
        assertThat(refusal("evaluate", "--log", log, "--policy", "first", "--policy", "first"))
                .contains("--policy must name each policy once");
    }

    @Test
    void snapshotsMustHaveTheSameShape() throws IOException {
        Path log = SimulatedLogs.named(dir.resolve("log.jsonl"), 100, 1);
        for (int bits : new int[] {8, 9}) {
            OfflineCommands.json(
                    "train",
                    "--log",
                    log,
                    "--objective",
                    "ips-lpr",
                    "--bits",
                    bits,
                    "--epochs",
                    1,
                    "--out",
                    dir.resolve(bits + ".snapshot"));
        }
        assertThat(
                        refusal(
                                "evaluate",
                                "--log",
                                log,
                                "--policy",
                                dir.resolve("8.snapshot"),
                                "--policy",
                                dir.resolve("9.snapshot")))
                .contains("does not match");
    }
}
