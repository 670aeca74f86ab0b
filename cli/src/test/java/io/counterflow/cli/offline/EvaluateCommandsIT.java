package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** evaluate, bound and inspect, on log files of a simulated problem with known values. */
final class EvaluateCommandsIT {

    @TempDir Path dir;

    private final OfflineCommands commands = new OfflineCommands();

    @Test
    void anEstimatedLoggingPolicyGivesTheBoundOfTheoremFour() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 4_000, 1, true);
        Path logging = dir.resolve("logging.snapshot");
        Path out = dir.resolve("better.snapshot");
        JsonNode learned =
                OfflineCommands.json(
                        "logging-policy", "--log", log, "--lambda", 0.001, "--out", logging);
        assertThat(learned.get("meanPropensityError").asDouble()).isLessThan(0.03);
        OfflineCommands.json(
                "train",
                "--log",
                log,
                "--objective",
                "wnll-lpr",
                "--prior",
                logging,
                "--epochs",
                10,
                "--out",
                out);
        JsonNode bounds =
                OfflineCommands.json("bound", "--log", log, "--policy", out, "--prior", logging);
        assertThat(bounds.get("priorLearned").asBoolean()).isTrue();
        assertThat(bounds.get("theorem3").get("applies").asBoolean()).isFalse();
        assertThat(bounds.get("theorem4").get("riskBound").asDouble())
                .isGreaterThan(bounds.get("theorem3").get("riskBound").asDouble());
        // A norm that was only measured may be exceeded by other contexts.
        assertThat(bounds.get("theorem4").get("applies").asBoolean()).isFalse();
        assertThat(bounds.get("learnedFrom").isNull()).isTrue();
        JsonNode enforced =
                OfflineCommands.json(
                        "bound",
                        "--log",
                        log,
                        "--policy",
                        out,
                        "--prior",
                        logging,
                        "--norm-bound",
                        10);
        assertThat(enforced.get("theorem4").get("applies").asBoolean()).isTrue();
        assertThat(enforced.get("learnedFrom").get("valueLowerBound").asDouble())
                .isLessThan(OfflineCommands.trueValue(out));
    }

    @Test
    void boundsAreTheSumsOfTheirTermsAndHold() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 20_000, 1, true);
        Path prior = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));
        Path out = dir.resolve("v4.snapshot");
        OfflineCommands.json(
                "train",
                "--log",
                log,
                "--objective",
                "wnll-lpr",
                "--prior",
                prior,
                "--lambda",
                0.01,
                "--epochs",
                10,
                "--out",
                out);
        JsonNode bounds =
                OfflineCommands.json(
                        "bound",
                        "--log",
                        log,
                        "--policy",
                        out,
                        "--prior",
                        prior,
                        "--tau",
                        0.1,
                        "--prior-variance",
                        0.01);
        for (String theorem : new String[] {"theorem1", "theorem2", "theorem3"}) {
            JsonNode bound = bounds.get(theorem);
            assertThat(bound.get("riskBound").asDouble())
                    .isCloseTo(
                            bound.get("empiricalRisk").asDouble()
                                    + bound.get("squareRootTerm").asDouble()
                                    + bound.get("linearTerm").asDouble(),
                            within(1e-12));
            assertThat(bound.get("riskBound").asDouble())
                    .isGreaterThan(1.0 - OfflineCommands.trueValue(out));
            assertThat(bound.get("applies").asBoolean()).isTrue();
        }
        assertThat(bounds.get("theorem4").isNull()).isTrue();
        JsonNode smoothed = bounds.get("learnedFrom");
        assertThat(smoothed.get("vacuous").asBoolean()).isFalse();
        assertThat(smoothed.get("valueLowerBound").asDouble())
                .isBetween(0.1, OfflineCommands.trueValue(out));

        JsonNode percentile =
                OfflineCommands.json(
                        "bound",
                        "--log",
                        log,
                        "--policy",
                        out,
                        "--prior",
                        "none",
                        "--tau-percentile",
                        10,
                        "--variance",
                        0.001);
        assertThat(percentile.get("tauFromData").asBoolean()).isTrue();
        assertThat(percentile.get("theorem1").get("applies").asBoolean()).isFalse();
        assertThat(percentile.get("variance").asDouble()).isEqualTo(0.001);
    }

    @Test
    void theJsonOfInspectIsAValidSnapshot() throws IOException {
        for (boolean dense : new boolean[] {true, false}) {
            Path log =
                    dense
                            ? SimulatedLogs.dense(dir.resolve("dense.jsonl"), 500, 1, true)
                            : SimulatedLogs.named(dir.resolve("named.jsonl"), 500, 1);
            Path out = dir.resolve(dense + ".snapshot");
            OfflineCommands.json(
                    "train",
                    "--log",
                    log,
                    "--objective",
                    "wnll-lpr",
                    "--bits",
                    10,
                    "--epochs",
                    3,
                    "--out",
                    out);
            JsonNode weights = OfflineCommands.json("inspect", out, "--weights");
            Path file = dir.resolve(dense + ".json");
            Files.writeString(file, weights.toString());
            assertThat(OfflineCommands.json("evaluate", "--log", log, "--policy", file).get("ips"))
                    .isEqualTo(
                            OfflineCommands.json("evaluate", "--log", log, "--policy", out)
                                    .get("ips"));
        }
    }

    /** The two lines of the documented log format. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"eventId\":\"e-1\",\"loop\":\"home\",\"policyVersion\":3,"
                        + "\"time\":\"2026-01-01T00:00:00Z\", "
                        + "\"context\":{\"dense\":[0.1,0.0,0.7]}, \"action\":2, "
                        + "\"propensity\":0.31, \"reward\":1.0}",
                "{\"eventId\":\"e-2\",\"loop\":\"home\",\"policyVersion\":3,"
                        + "\"time\":\"2026-01-01T00:00:01Z\", "
                        + "\"context\":{\"features\":{\"user\":{\"country\":\"de\",\"age\":0.3}}}, "
                        + "\"actions\":[{\"id\":\"a\",\"features\":{\"topic\":\"sport\"}},"
                        + "{\"id\":\"b\",\"features\":{\"topic\":\"news\"}}], "
                        + "\"action\":0, \"propensity\":0.5, \"distribution\":[0.5,0.5], "
                        + "\"reward\":0.0}"
            })
    void theDocumentedLinesWorkWithEveryCommand(String line) throws IOException {
        Path log = Files.writeString(dir.resolve("documented.jsonl"), line + "\n");
        Path out = dir.resolve("documented.snapshot");
        assertThat(
                        OfflineCommands.json("logging-policy", "--log", log, "--out", out)
                                .get("n")
                                .asInt())
                .isOne();
        JsonNode trained =
                OfflineCommands.json("train", "--log", log, "--objective", "ips-lpr", "--out", out);
        assertThat(trained.get("loop").asText()).isEqualTo("home");
        JsonNode evaluated = OfflineCommands.json("evaluate", "--log", log, "--policy", out);
        assertThat(evaluated.get("n").asInt()).isOne();
        assertThat(
                        OfflineCommands.json(
                                        "bound", "--log", log, "--policy", out, "--prior", "none")
                                .get("n")
                                .asInt())
                .isOne();
        JsonNode snapshot = OfflineCommands.json("inspect", out);
        assertThat(snapshot.get("createdAt").asText()).startsWith("2026-01-01T00:00:0");
        if (snapshot.get("model").asText().equals("dense")) {
            assertThat(snapshot.get("actions").asInt()).isEqualTo(3);
            assertThat(snapshot.get("features").asInt()).isEqualTo(3);
        }
    }

    @Test
    void impossiblePropensitiesAreReported() throws IOException {
        Path log = dir.resolve("log.jsonl");
        String line =
                "{\"context\":{\"dense\":[1]},\"action\":%d,\"propensity\":1e-9,\"reward\":%d}\n";
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            lines.append(line.formatted(i % 2, i % 2));
        }
        Files.writeString(log, lines);
        Path out = dir.resolve("x.snapshot");
        assertThat(
                        commands.run(
                                "train",
                                "--log",
                                log,
                                "--objective",
                                "ips-lpr",
                                "--prior",
                                "none",
                                "--out",
                                out))
                .isZero();
        assertThat(commands.run("evaluate", "--log", log, "--policy", "uniform")).isZero();
        assertThat(commands.out())
                .contains("a bound above 1 cannot hold")
                .contains("the mean weight is far above 1")
                .doesNotContain("its value is at least");
    }

    @Test
    void theTextHasTables() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 500, 1, true);
        Path out = dir.resolve("better.snapshot");
        assertThat(
                        commands.run(
                                "train",
                                "--log",
                                log,
                                "--objective",
                                "ips-lpr",
                                "--epochs",
                                2,
                                "--out",
                                out))
                .isZero();
        assertThat(commands.run("evaluate", "--log", log, "--policy", out)).isZero();
        assertThat(commands.run("bound", "--log", log, "--policy", out, "--prior", "none"))
                .isZero();
        assertThat(commands.run("inspect", out, "--weights")).isZero();
        assertThat(commands.out())
                .contains("learned, truncated IPS")
                .contains("effective sample size")
                .contains("theorem 3")
                .contains("action 3, feature 4");
        String withoutTheFolder = commands.out().replace(dir.toString(), "");
        assertThat(withoutTheFolder.lines().filter(line -> line.length() > 100)).isEmpty();
    }
}
