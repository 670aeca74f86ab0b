package io.counterflow.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.data.IdxFiles;
import io.counterflow.experiments.trial.Method;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs every experiment end to end on a small data set with a fixed seed. */
final class ExperimentIT {

    private static final int NO_TRIALS = 0;

    @TempDir private static Path data;
    @TempDir private Path out;

    @BeforeAll
    static void writeData() throws IOException {
        IdxFiles.images(data, 1_200, 400);
    }

    private static JsonNode run(Path out, int trials, String experiment, Object... options)
            throws IOException {
        List<Object> args =
                new ArrayList<>(
                        List.of(
                                "experiment",
                                experiment,
                                "--data",
                                data,
                                "--out",
                                out,
                                "--supervised",
                                100,
                                "--logging-epochs",
                                100,
                                "--quiet"));
        Collections.addAll(args, options);
        if (trials > 0) {
            Collections.addAll(args, "--trials", trials);
        }
        return ExperimentCommands.json(args.toArray());
    }

    private static JsonNode table1(Path out, int threads) throws IOException {
        return table1(out, 1, threads);
    }

    private static JsonNode table1(Path out, int trials, int threads) throws IOException {
        return run(
                out,
                trials,
                "table1",
                "--threads",
                threads,
                "--folds",
                2,
                "--lambdas",
                "1e-4,1e-2",
                "--variance-lambdas",
                "0.1,1",
                "--tuning-epochs",
                10,
                "--epochs",
                30);
    }

    private static double stochastic(JsonNode table, Method method) {
        for (JsonNode row : table.path("rows")) {
            if (row.path("method").asText().equals(method.toString())) {
                return row.path("stochastic").asDouble();
            }
        }
        throw new AssertionError("no row of " + method);
    }

    @Test
    void theTableHasTheExpectedNumbersForItsSeed() throws IOException {
        JsonNode table = table1(out, 1);
        // Six methods with 2 values in 2 folds, POEM-L2 likewise, then ten policies.
        assertThat(table.path("unitsDone").asInt()).isEqualTo(28 + 10);
        assertThat(stochastic(table, Method.LOGGING_POLICY))
                .isCloseTo(0.223099625327337, within(1e-9));
        assertThat(stochastic(table, Method.IPS_L2)).isCloseTo(0.16093598532887365, within(1e-9));
        assertThat(stochastic(table, Method.POEM_L2)).isCloseTo(0.16057892309389477, within(1e-9));
        assertThat(stochastic(table, Method.WNLL_LLPR))
                .isCloseTo(0.42334356143028856, within(1e-9));
        assertThat(stochastic(table, Method.IPS_LPR_FROM_PRIOR))
                .isCloseTo(0.3725124808701188, within(1e-9))
                .isGreaterThan(stochastic(table, Method.LOGGING_POLICY));
        assertThat(out.resolve("table1-fashion-mnist.md"))
                .content()
                .contains("| Logging policy |", "0.5123", "0.7099", "| LS-LPR from the prior |");
        assertPlot("table1-fashion-mnist");
    }

    @Test
    void resultsDoNotDependOnTheNumberOfThreads(@TempDir Path other) throws IOException {
        table1(out, 3, 1);
        table1(other, 3, 4);
        assertThat(other.resolve("table1.csv")).hasSameBinaryContentAs(out.resolve("table1.csv"));
        assertThat(other.resolve("table1-fashion-mnist.md"))
                .hasSameBinaryContentAs(out.resolve("table1-fashion-mnist.md"));
    }

    @Test
    void aStoppedRunContinuesAndEndsWithTheSameBytes() throws IOException {
        table1(out, 2);
        Path csv = out.resolve("table1.csv");
        byte[] whole = Files.readAllBytes(csv);
        List<String> lines = Files.readAllLines(csv);
        int kept = 17;
        // Like the file of a run that was killed during a write: unsorted, with an incomplete last
        // line.
        List<String> left = new ArrayList<>(lines.subList(1, 1 + kept));
        Collections.reverse(left);
        Files.writeString(
                csv,
                lines.get(0)
                        + "\n"
                        + String.join("\n", left)
                        + "\n"
                        + lines.get(30).substring(0, 25));
        JsonNode resumed = table1(out, 2);
        assertThat(resumed.path("unitsFound").asInt()).isEqualTo(kept);
        assertThat(resumed.path("unitsDone").asInt()).isEqualTo(38 - kept);
        assertThat(csv).hasBinaryContent(whole);
        assertThat(table1(out, 2).path("unitsDone").asInt()).isZero();
        assertThat(csv).hasBinaryContent(whole);
    }

    @Test
    void theTableStatesWhetherItsLambdasWereChosen() throws IOException {
        Object[] given = {
            "--lambdas", "1e-4", "--epochs", 2, "--tuning-epochs", 2, "--methods", "ips-l2"
        };
        run(out, 1, "table1", given);
        Path table = out.resolve("table1-fashion-mnist.md");
        assertThat(table).content().contains("with a λ that was given, not chosen");
        Object[] poem = {"--epochs", 2, "--tuning-epochs", 2, "--folds", 2, "--methods", "poem"};
        run(out, 1, "table1", poem);
        assertThat(table)
                .content()
                .contains("2-fold cross-validation", "(2 epochs, POEM's variance from 0.001, 0.01,")
                .doesNotContain("λ from");
    }

    @Test
    void largeLambdasLeadToTheLoggingPolicyOrToTheUniformPolicy() throws IOException {
        JsonNode sweep = run(out, 2, "lambda-sweep", "--epochs", 20, "--lambdas", "1e-6,1e2");
        assertThat(sweep.path("unitsDone").asInt()).isEqualTo(2 * (2 * 2 + 1));
        JsonNode weak = sweep.path("rows").path(0);
        JsonNode strong = sweep.path("rows").path(1);
        assertThat(strong.path("lambda").asDouble()).isEqualTo(100.0);
        double weakL2 = weak.path("IPS-L2").asDouble();
        double strongL2 = strong.path("IPS-L2").asDouble();
        double weakLpr = weak.path("IPS-LPR").asDouble();
        double strongLpr = strong.path("IPS-LPR").asDouble();
        double logging = weak.path("Logging policy").asDouble();
        assertThat(weak.path("IPS-L2HalfWidth").asDouble()).isPositive();
        assertThat(weakLpr).isCloseTo(weakL2, within(0.001)).isGreaterThan(0.11);
        // Biases are not regularised, so over-regularised policies are only close to their centre.
        assertThat(strongL2).isCloseTo(0.1, within(0.01));
        assertThat(strongLpr).isCloseTo(logging, within(0.01)).isGreaterThan(0.2);
        assertThat(weak.path("uniform").asDouble()).isEqualTo(0.1);
        assertPlot("lambda-sweep-fashion-mnist");
    }

    private void assertPlot(String name) throws IOException {
        assertThat(Files.readAllBytes(out.resolve(name + ".png")))
                .startsWith((byte) 0x89, 'P', 'N', 'G');
        assertThat(out.resolve(name + ".md")).content().contains("|---|");
    }

    @Test
    void atInverseTemperatureZeroThePriorIsUniformAndHasNoEffect() throws IOException {
        JsonNode sweep =
                run(out, 1, "temperature-sweep", "--epochs", 30, "--inverse-temperatures", "0,1");
        JsonNode uniform = sweep.path("rows").path(0);
        JsonNode trained = sweep.path("rows").path(1);
        double l2 = uniform.path("IPS-L2").asDouble();
        assertThat(uniform.path("IPS-LPR").asDouble()).isEqualTo(l2);
        assertThat(uniform.path("Logging policy").asDouble()).isCloseTo(0.1, within(1e-12));
        assertThat(trained.path("Logging policy").asDouble()).isGreaterThan(0.11);
        assertPlot("temperature-sweep-fashion-mnist");
    }

    @Test
    void theStreamLearnsInOnePassWithBufferStepsAndInGenerations() throws IOException {
        Object[] options = {
            "--epochs",
            30,
            "--batch-size",
            10,
            "--learning-rate",
            1,
            "--buffer-steps",
            4,
            "--floor",
            0.1
        };
        JsonNode streaming = run(out, 1, "streaming", options);
        List<Double> rewards = new ArrayList<>();
        streaming.path("rows").forEach(row -> rewards.add(row.path("stochastic").asDouble()));
        assertThat(rewards).hasSize(1 + 2 + 6 + 1);
        double logging = rewards.get(0);
        assertThat(rewards.get(1))
                .isCloseTo(0.6065526719566299, within(1e-9))
                .isGreaterThan(logging);
        assertThat(rewards.get(2)).isGreaterThan(rewards.get(1));
        assertThat(rewards.get(8)).isCloseTo(0.6605033125037798, within(1e-9));
        assertThat(rewards.get(8)).isGreaterThan(rewards.get(3));
        assertPlot("streaming-fashion-mnist");
        assertThat(run(out, 1, "streaming", options).path("unitsDone").asInt()).isZero();
    }

    @Test
    void tuningTriesAllCombinationsOnHeldOutContexts() throws IOException {
        JsonNode tuned =
                run(
                        out,
                        1,
                        "streaming",
                        "--tune",
                        "--objective",
                        "ips-lpr,ls-lpr",
                        "--batch-size",
                        "10",
                        "--learning-rate",
                        "0.1,1",
                        "--buffer-steps",
                        "2",
                        "--floor",
                        "0.05,0.1");
        assertThat(tuned.path("rows")).hasSize(8);
        // The log does not depend on the floor: four streams and eight runs with generations.
        assertThat(tuned.path("unitsDone").asInt()).isEqualTo(4 + 8);
        JsonNode best = tuned.path("rows").path(0);
        JsonNode worst = tuned.path("rows").path(7);
        assertThat(best.path("learningRate").asDouble()).isEqualTo(1.0);
        assertThat(best.path("stream").asDouble()).isGreaterThan(worst.path("stream").asDouble());
        List<String> lines = Files.readAllLines(out.resolve("streaming.csv"));
        assertThat(lines.subList(1, lines.size()))
                .hasSize(4 + 8)
                .allMatch(line -> !line.endsWith(",,,") && line.endsWith(",,")); // no test reward
    }

    @Test
    void certificatesHoldAndAJudgedPolicyHasATighterOne() throws IOException {
        JsonNode found = run(out, NO_TRIALS, "certificates", "--epochs", 5);
        assertThat(found.path("learnedFrom")).hasSize(4);
        for (JsonNode row : found.path("learnedFrom")) {
            // The test reward is the value up to its own error.
            assertThat(row.path("valueLowerBound").asDouble())
                    .as(row.toString())
                    .isBetween(0.0, row.path("testReward").asDouble() + 0.05);
        }
        JsonNode judged = found.path("judgedOn").path(3);
        assertThat(judged.path("n").asInt()).isEqualTo(1_100 / 4);
        assertThat(judged.path("valueLowerBound").asDouble())
                .isStrictlyBetween(0.0, judged.path("testReward").asDouble() + 0.05);
    }

    @Test
    void runningTimesAreComparedInOneRun() throws IOException {
        JsonNode times = run(out, NO_TRIALS, "runtime", "--epochs", 3);
        assertThat(times.path("poemRatio").asDouble()).isPositive();
        try (Stream<String> lines = Files.lines(out.resolve("runtime-fashion-mnist.csv"))) {
            assertThat(lines).hasSize(1 + 2 * 3 * 3);
        }
        assertThat(out.resolve("runtime-fashion-mnist.md"))
                .content()
                .contains("1,100 logged examples", "| POEM |", "| 1.25 |");
    }
}
