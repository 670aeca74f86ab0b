package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import io.counterflow.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** train and logging-policy, on log files of a simulated problem with known values. */
final class LearnCommandsIT {

    @TempDir Path dir;

    private final OfflineCommands commands = new OfflineCommands();

    @Test
    void trainingBeatsTheLoggingPolicyAndTheIntervalsContainTheTrueValue() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("train.jsonl"), 8_000, 1, true);
        Path fresh = SimulatedLogs.dense(dir.resolve("fresh.jsonl.gz"), 20_000, 2, true);
        Path out = dir.resolve("better.snapshot");
        OfflineCommands.json(
                "train", "--log", log, "--objective", "ips-lpr", "--epochs", 40, "--out", out);

        double truth = OfflineCommands.trueValue(out);
        assertThat(truth).isGreaterThan(OfflineCommands.loggingValue() + 0.1);

        JsonNode evaluation =
                OfflineCommands.json(
                        "evaluate",
                        "--log",
                        fresh,
                        "--policy",
                        out,
                        "--tau",
                        0.001,
                        "--delta",
                        0.01);
        for (String estimator :
                new String[] {"ips", "truncatedIps", "selfNormalized", "doublyRobust"}) {
            JsonNode interval = evaluation.get("intervals").get(estimator).get("normal");
            assertThat(truth)
                    .as("%s, %s", estimator, interval)
                    .isBetween(interval.get(0).asDouble(), interval.get(1).asDouble());
        }
        assertThat(evaluation.get("n").asInt()).isEqualTo(20_000);
        assertThat(evaluation.get("judgedOnLowerBound").asDouble())
                .isBetween(OfflineCommands.loggingValue(), truth);
        assertThat(evaluation.get("meanWeight").asDouble()).isCloseTo(1.0, within(0.1));
        assertThat(evaluation.get("onPolicyMean").asDouble())
                .isCloseTo(OfflineCommands.loggingValue(), within(4.0 * 0.5 / Math.sqrt(20_000)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ips-lpr",
                "wnll-lpr",
                "ls-lpr",
                "trust-lpr",
                "ips-l2",
                "poem",
                "poem-l2",
                "bcrm",
                "bcrm-convex"
            })
    void everyObjectiveTrainsFromAGivenPriorAndReportsTheResult(String objective)
            throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.avro"), 3_000, 1, true);
        Path prior = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));
        Path out = dir.resolve("v4.snapshot");
        JsonNode report =
                OfflineCommands.json(
                        "train",
                        "--log",
                        log,
                        "--objective",
                        objective,
                        "--prior",
                        prior,
                        "--prior-variance",
                        0.1,
                        "--epochs",
                        20,
                        "--validate",
                        "--out",
                        out);
        assertThat(report.get("objective").asText()).isEqualTo(objective);
        assertThat(report.get("version").asInt()).isEqualTo(4);
        assertThat(report.get("parentVersion").asInt()).isEqualTo(3);
        assertThat(report.get("validation").get("n").asInt()).isBetween(450, 750);
        assertThat(report.get("n").asInt() + report.get("validation").get("n").asInt())
                .isEqualTo(3_000);
        assertThat(OfflineCommands.trueValue(out)).isGreaterThan(OfflineCommands.loggingValue());
        assertThat(report.get("learnedFrom").get("valueLowerBound").asDouble())
                .isLessThan(OfflineCommands.trueValue(out));

        JsonNode inspected = OfflineCommands.json("inspect", out);
        assertThat(inspected.get("certificate").get("n").asInt())
                .isEqualTo(report.get("n").asInt());
        assertThat(inspected.get("variance").isNull()).isEqualTo(!objective.startsWith("bcrm"));
    }

    @Test
    void theSameLogGivesTheSameBytes() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 500, 1, true);
        Path one = dir.resolve("one.snapshot");
        Path two = dir.resolve("two.snapshot");
        OfflineCommands.json(
                "train", "--log", log, "--objective", "wnll-lpr", "--epochs", 5, "--out", one);
        OfflineCommands.json(
                "train", "--log", log, "--objective", "wnll-lpr", "--epochs", 5, "--out", two);
        assertThat(Files.readAllBytes(two)).isEqualTo(Files.readAllBytes(one));
    }

    @Test
    void aLogWithoutPropensitiesNeedsALearnedPrior() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 4_000, 1, false);
        Path out = dir.resolve("better.snapshot");
        int exit =
                commands.run(
                        "train",
                        "--log",
                        log,
                        "--objective",
                        "ips-l2",
                        "--epochs",
                        5,
                        "--out",
                        out);
        assertThat(exit).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err())
                .contains("lacks the propensity of 4000 of its 4000 impressions")
                .contains("--prior learned");
        assertThat(out).doesNotExist();

        JsonNode report =
                OfflineCommands.json(
                        "train",
                        "--log",
                        log,
                        "--objective",
                        "ips-lpr",
                        "--prior",
                        "learned",
                        "--epochs",
                        30,
                        "--out",
                        out);
        assertThat(report.get("propensitiesEstimated").asBoolean()).isTrue();
        assertThat(report.get("learnedFrom").isNull()).isTrue();
        assertThat(OfflineCommands.json("inspect", out).get("propensitiesEstimated").asBoolean())
                .isTrue();
        assertThat(OfflineCommands.trueValue(out))
                .isGreaterThan(OfflineCommands.loggingValue() + 0.05);
    }

    @Test
    void namedFeaturesAreLearnedByHashing() throws IOException {
        Path log = SimulatedLogs.named(dir.resolve("log.jsonl"), 4_000, 1);
        Path fresh = SimulatedLogs.named(dir.resolve("fresh.avro"), 4_000, 2);
        Path out = dir.resolve("better.snapshot");
        OfflineCommands.json(
                "train",
                "--log",
                log,
                "--objective",
                "ips-lpr",
                "--bits",
                12,
                "--epochs",
                30,
                "--out",
                out);
        JsonNode uniform = OfflineCommands.json("evaluate", "--log", fresh, "--policy", "uniform");
        JsonNode learned = OfflineCommands.json("evaluate", "--log", fresh, "--policy", out);
        // Uniform earns (0.8 + 0.2 + 0.2)/3 = 0.4; always the liked topic earns 0.8.
        assertThat(uniform.get("ips").asDouble()).isCloseTo(0.4, within(0.04));
        assertThat(learned.get("selfNormalized").asDouble()).isGreaterThan(0.7);
        assertThat(learned.get("doublyRobust").asDouble()).isGreaterThan(0.7);
        JsonNode bounds =
                OfflineCommands.json("bound", "--log", log, "--policy", out, "--prior", "none");
        assertThat(bounds.get("dimension").asInt()).isEqualTo(1 << 12);
        assertThat(OfflineCommands.json("inspect", out).get("model").asText()).isEqualTo("hashed");
    }

    @Test
    void theNumberOfActionsIsDerivedFromTheLog() throws IOException {
        Path log = dir.resolve("log.jsonl");
        Files.writeString(
                log,
                "{\"context\":{\"dense\":[1]},\"action\":1,\"propensity\":0.25,\"reward\":1,"
                        + "\"distribution\":[0.25,0.25,0.25,0.25]}\n"
                        + "{\"context\":{\"dense\":[2]},\"action\":0,\"propensity\":0.5,\"reward\":1}\n");
        Path out = dir.resolve("x.snapshot");
        OfflineCommands.json("logging-policy", "--log", log, "--epochs", 1, "--out", out);
        assertThat(OfflineCommands.json("inspect", out).get("actions").asInt()).isEqualTo(4);
        OfflineCommands.json(
                "logging-policy", "--log", log, "--epochs", 1, "--actions", 6, "--out", out);
        assertThat(OfflineCommands.json("inspect", out).get("actions").asInt()).isEqualTo(6);
    }
}
