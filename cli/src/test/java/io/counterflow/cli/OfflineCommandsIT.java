package io.counterflow.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.schemas.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The offline commands on log files of a problem whose truth is known. */
final class OfflineCommandsIT {

    @TempDir Path dir;

    private final Capture capture = Capture.plain();

    private int run(Object... args) {
        String[] words = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            words[i] = args[i].toString();
        }
        return CommandLines.of(capture.terminal(), Commands.of(capture.terminal())).execute(words);
    }

    /** Runs a command that must succeed, in a fresh terminal, and reads what it printed. */
    private static JsonNode json(Object... args) throws IOException {
        OfflineCommandsIT fresh = new OfflineCommandsIT();
        Object[] words = new Object[args.length + 1];
        System.arraycopy(args, 0, words, 0, args.length);
        words[args.length] = "--json";
        int exit = fresh.run(words);
        assertThat(exit).as(fresh.capture.err()).isEqualTo(ExitCode.DONE);
        return new ObjectMapper().readTree(fresh.capture.out());
    }

    private static double trueValue(Path snapshot) throws IOException {
        PolicySnapshot policy = SnapshotFile.read(snapshot);
        return SimulatedLogs.LOOP.value(
                new SoftmaxPolicy(policy.model()), 200_000, new EventRandom(77));
    }

    private static double loggingValue() {
        return SimulatedLogs.LOOP.value(
                new SoftmaxPolicy(SimulatedLogs.LOGGING), 200_000, new EventRandom(77));
    }

    @Test
    void trainingBeatsTheLoggingPolicyAndEvaluationBracketsTheTruth() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("train.jsonl"), 8_000, 1, true);
        Path fresh = SimulatedLogs.dense(dir.resolve("fresh.jsonl.gz"), 20_000, 2, true);
        Path out = dir.resolve("better.snapshot");
        json("train", "--log", log, "--objective", "ips-lpr", "--epochs", 40, "--out", out);

        double truth = trueValue(out);
        assertThat(truth).isGreaterThan(loggingValue() + 0.1);

        JsonNode evaluation =
                json("evaluate", "--log", fresh, "--policy", out, "--tau", 0.001, "--delta", 0.01);
        for (String estimator :
                new String[] {"ips", "truncatedIps", "selfNormalized", "doublyRobust"}) {
            JsonNode interval = evaluation.get("intervals").get(estimator).get("normal");
            assertThat(truth)
                    .as("%s, %s", estimator, interval)
                    .isBetween(interval.get(0).asDouble(), interval.get(1).asDouble());
        }
        assertThat(evaluation.get("n").asInt()).isEqualTo(20_000);
        assertThat(evaluation.get("lowerBound").asDouble()).isBetween(loggingValue(), truth);
        assertThat(evaluation.get("meanWeight").asDouble()).isCloseTo(1.0, within(0.1));
        assertThat(evaluation.get("onPolicyMean").asDouble())
                .isCloseTo(loggingValue(), within(4.0 * 0.5 / Math.sqrt(20_000)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ips-lpr",
                "wnll-lpr",
                "ls-lpr",
                "ips-l2",
                "poem",
                "poem-l2",
                "bcrm",
                "bcrm-convex"
            })
    void everyObjectiveTrainsFromAGivenPriorAndReportsWhatItDid(String objective)
            throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.avro"), 3_000, 1, true);
        Path prior = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));
        Path out = dir.resolve("v4.snapshot");
        JsonNode report =
                json(
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
        assertThat(trueValue(out)).isGreaterThan(loggingValue());
        assertThat(report.get("logSmoothedLowerBound").asDouble()).isLessThan(trueValue(out));

        JsonNode inspected = json("inspect", out);
        assertThat(inspected.get("certificate").get("n").asInt())
                .isEqualTo(report.get("n").asInt());
        assertThat(inspected.get("variance").isNull()).isEqualTo(!objective.startsWith("bcrm"));
    }

    @Test
    void theSameLogGivesTheSameBytes() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 500, 1, true);
        Path one = dir.resolve("one.snapshot");
        Path two = dir.resolve("two.snapshot");
        json("train", "--log", log, "--objective", "wnll-lpr", "--epochs", 5, "--out", one);
        json("train", "--log", log, "--objective", "wnll-lpr", "--epochs", 5, "--out", two);
        assertThat(Files.readAllBytes(two)).isEqualTo(Files.readAllBytes(one));
    }

    @Test
    void aLogWithoutPropensitiesNeedsALearnedPriorAndSaysSo() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 4_000, 1, false);
        Path out = dir.resolve("better.snapshot");
        int exit = run("train", "--log", log, "--objective", "ips-l2", "--epochs", 5, "--out", out);
        assertThat(exit).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .contains("lacks the propensity of 4000 of its 4000 impressions")
                .contains("--prior learned");
        assertThat(out).doesNotExist();

        JsonNode report =
                json(
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
        assertThat(report.get("riskBound").isNull()).isTrue();
        assertThat(json("inspect", out).get("propensitiesEstimated").asBoolean()).isTrue();
        assertThat(trueValue(out)).isGreaterThan(loggingValue() + 0.05);
    }

    @Test
    void theLoggingPolicyIsEstimatedAndBoundsByTheoremFour() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 4_000, 1, true);
        Path logging = dir.resolve("logging.snapshot");
        Path out = dir.resolve("better.snapshot");
        JsonNode learned =
                json("logging-policy", "--log", log, "--lambda", 0.001, "--out", logging);
        assertThat(learned.get("meanPropensityError").asDouble()).isLessThan(0.03);
        json(
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
        JsonNode bounds = json("bound", "--log", log, "--policy", out, "--prior", logging);
        assertThat(bounds.get("priorLearned").asBoolean()).isTrue();
        assertThat(bounds.get("theorem3").get("applies").asBoolean()).isFalse();
        assertThat(bounds.get("theorem4").get("riskBound").asDouble())
                .isGreaterThan(bounds.get("theorem3").get("riskBound").asDouble());
    }

    @Test
    void boundsAddUpFromTheirPartsAndHold() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 20_000, 1, true);
        Path prior = SimulatedLogs.loggingSnapshot(dir.resolve("v3.snapshot"));
        Path out = dir.resolve("v4.snapshot");
        json(
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
                json(
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
            assertThat(bound.get("riskBound").asDouble()).isGreaterThan(1.0 - trueValue(out));
            assertThat(bound.get("applies").asBoolean()).isTrue();
        }
        assertThat(bounds.get("theorem4").isNull()).isTrue();
        JsonNode smoothed = bounds.get("logSmoothedPacBayes");
        assertThat(smoothed.get("vacuous").asBoolean()).isFalse();
        assertThat(smoothed.get("valueLowerBound").asDouble()).isBetween(0.1, trueValue(out));

        JsonNode percentile =
                json(
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
    void namedFeaturesAreLearnedByHashing() throws IOException {
        Path log = SimulatedLogs.named(dir.resolve("log.jsonl"), 4_000, 1);
        Path fresh = SimulatedLogs.named(dir.resolve("fresh.avro"), 4_000, 2);
        Path out = dir.resolve("better.snapshot");
        json(
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
        JsonNode uniform = json("evaluate", "--log", fresh, "--policy", "uniform");
        JsonNode learned = json("evaluate", "--log", fresh, "--policy", out);
        // Uniform earns (0.8 + 0.2 + 0.2)/3 = 0.4; always the liked topic earns 0.8.
        assertThat(uniform.get("ips").asDouble()).isCloseTo(0.4, within(0.04));
        assertThat(learned.get("selfNormalized").asDouble()).isGreaterThan(0.7);
        assertThat(learned.get("doublyRobust").asDouble()).isGreaterThan(0.7);
        JsonNode bounds = json("bound", "--log", log, "--policy", out, "--prior", "none");
        assertThat(bounds.get("dimension").asInt()).isEqualTo(1 << 12);
        assertThat(json("inspect", out).get("model").asText()).isEqualTo("hashed");
    }

    @Test
    void theJsonOfInspectIsASnapshotToo() throws IOException {
        for (boolean dense : new boolean[] {true, false}) {
            Path log =
                    dense
                            ? SimulatedLogs.dense(dir.resolve("dense.jsonl"), 500, 1, true)
                            : SimulatedLogs.named(dir.resolve("named.jsonl"), 500, 1);
            Path out = dir.resolve(dense + ".snapshot");
            json(
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
            JsonNode weights = json("inspect", out, "--weights");
            Path file = dir.resolve(dense + ".json");
            Files.writeString(file, weights.toString());
            assertThat(json("evaluate", "--log", log, "--policy", file).get("ips"))
                    .isEqualTo(json("evaluate", "--log", log, "--policy", out).get("ips"));
        }
    }

    @Test
    void aBrokenLineIsNamedOrSkippedAndCounted() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 300, 1, true);
        Files.writeString(
                log,
                "{\"context\":{\"dense\":[1,2,3,4,5]},\"action\":0,\"propensity\":0,\"reward\":1}\n"
                        + "not json\n"
                        + "{\"context\":{\"dense\":[1,2]},\"action\":0,\"propensity\":1,\"reward\":1,"
                        + "\"loop\":\"home\"}\n",
                StandardOpenOption.APPEND);
        assertThat(run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("log.jsonl, line 301:").contains("--skip-bad");
        JsonNode skipped = json("evaluate", "--log", log, "--policy", "uniform", "--skip-bad");
        assertThat(skipped.get("skipped").asInt()).isEqualTo(3);
        assertThat(skipped.get("n").asInt()).isEqualTo(300);
    }

    @Test
    void aLogOfSeveralLoopsNeedsAChoice() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 200, 1, true);
        Files.writeString(
                log,
                "{\"loop\":\"other\",\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":1,"
                        + "\"reward\":1}\n",
                StandardOpenOption.APPEND);
        assertThat(run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("several loops").contains("--loop");
        assertThat(
                        json("evaluate", "--log", log, "--policy", "uniform", "--loop", "home")
                                .get("n")
                                .asInt())
                .isEqualTo(200);
        assertThat(run("evaluate", "--log", log, "--policy", "uniform", "--loop", "none-such"))
                .isEqualTo(ExitCode.BAD_INPUT);
    }

    @Test
    void wrongUseIsSaidClearly() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 50, 1, true);
        Path out = dir.resolve("x.snapshot");
        String[][] wrong = {
            {"train", "--log", log.toString(), "--objective", "ips", "--out", out.toString()},
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "ips-lpr",
                "--tau",
                "0",
                "--out",
                out.toString()
            },
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "ips-lpr",
                "--epochs",
                "0",
                "--out",
                out.toString()
            },
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "bcrm",
                "--lambda",
                "1",
                "--out",
                out.toString()
            },
            {"train", "--log", dir + "/none.jsonl", "--objective", "poem", "--out", out.toString()},
            {"evaluate", "--log", log.toString(), "--policy", log.toString()},
            {"evaluate", "--log", log.toString(), "--policy", "uniform", "--delta", "1"},
            {"evaluate", "--log", log.toString(), "--policy", "uniform", "--actions", "2"},
            {
                "bound", "--log", log.toString(), "--policy", "no.snapshot", "--prior", "none",
            },
        };
        for (String[] words : wrong) {
            assertThat(run((Object[]) words))
                    .as("%s", String.join(" ", words))
                    .isEqualTo(ExitCode.BAD_INPUT);
        }
        assertThat(capture.out()).isEmpty();
        assertThat(capture.err()).doesNotContain("\tat io.counterflow");
        assertThat(out).doesNotExist();
    }

    /** The two lines that the description of log files shows, letter by letter. */
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
        assertThat(json("logging-policy", "--log", log, "--out", out).get("n").asInt()).isOne();
        JsonNode trained = json("train", "--log", log, "--objective", "ips-lpr", "--out", out);
        assertThat(trained.get("loop").asText()).isEqualTo("home");
        JsonNode evaluated = json("evaluate", "--log", log, "--policy", out);
        assertThat(evaluated.get("n").asInt()).isOne();
        assertThat(json("bound", "--log", log, "--policy", out, "--prior", "none").get("n").asInt())
                .isOne();
        JsonNode snapshot = json("inspect", out);
        assertThat(snapshot.get("createdAt").asText()).startsWith("2026-01-01T00:00:0");
        if (snapshot.get("model").asText().equals("dense")) {
            assertThat(snapshot.get("actions").asInt()).isEqualTo(3);
            assertThat(snapshot.get("features").asInt()).isEqualTo(3);
        }
    }

    @Test
    void theNumberOfActionsIsWhatTheLogShows() throws IOException {
        Path log = dir.resolve("log.jsonl");
        Files.writeString(
                log,
                "{\"context\":{\"dense\":[1]},\"action\":1,\"propensity\":0.25,\"reward\":1,"
                        + "\"distribution\":[0.25,0.25,0.25,0.25]}\n"
                        + "{\"context\":{\"dense\":[2]},\"action\":0,\"propensity\":0.5,\"reward\":1}\n");
        Path out = dir.resolve("x.snapshot");
        json("logging-policy", "--log", log, "--epochs", 1, "--out", out);
        assertThat(json("inspect", out).get("actions").asInt()).isEqualTo(4);
        json("logging-policy", "--log", log, "--epochs", 1, "--actions", 6, "--out", out);
        assertThat(json("inspect", out).get("actions").asInt()).isEqualTo(6);
    }

    @Test
    void aPlaceThatCannotBeWrittenToIsRefusedBeforeTheLogIsRead() throws IOException {
        Path folder = Files.createDirectory(dir.resolve("folder"));
        for (Path out : List.of(dir.resolve("missing/x.snapshot"), folder)) {
            assertThat(
                            run(
                                    "train",
                                    "--log",
                                    dir.resolve("unread.jsonl"),
                                    "--objective",
                                    "poem",
                                    "--out",
                                    out))
                    .isEqualTo(ExitCode.BAD_INPUT);
            assertThat(capture.err()).contains("--out must be ", out.toString());
        }
        assertThat(capture.err()).doesNotContain("unread.jsonl");
    }

    @Test
    void filesThatDoNotGoTogetherAreNamed() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 60, 1, true);
        Path named = SimulatedLogs.named(dir.resolve("named.jsonl"), 60, 1);
        Path dense = SimulatedLogs.loggingSnapshot(dir.resolve("dense.snapshot"));
        Path hashed = dir.resolve("hashed.snapshot");
        json("logging-policy", "--log", named, "--epochs", 1, "--bits", 8, "--out", hashed);
        Object[][] wrong = {
            {"evaluate", "--log", log, "--policy", hashed},
            {"evaluate", "--log", named, "--policy", dense},
            {"evaluate", "--log", log, named, "--policy", "uniform"},
            {"bound", "--log", log, "--policy", dense, "--prior", hashed},
            {"bound", "--log", log, "--policy", dense, "--prior", "learned"},
            {"evaluate", "--log", dir, "--policy", "uniform"},
            {"evaluate", "--log", dense, "--policy", "uniform"},
        };
        String[] said = {
            "log.jsonl, line 1: a hashed model needs features of actions",
            "named.jsonl, line 1: a dense model needs a context vector",
            "named.jsonl, line 1: context must be a vector, as in the log's first impression",
            "hashed.snapshot does not go with",
            "--prior must be a snapshot or none, got learned",
            "a log file's name must end in .jsonl, .jsonl.gz or .avro",
            "a log file's name must end in .jsonl, .jsonl.gz or .avro",
        };
        for (int i = 0; i < wrong.length; i++) {
            OfflineCommandsIT fresh = new OfflineCommandsIT();
            assertThat(fresh.run(wrong[i])).as(said[i]).isEqualTo(ExitCode.BAD_INPUT);
            assertThat(fresh.capture.err()).contains(said[i]).doesNotContain("failed:");
        }
    }

    @Test
    void propensitiesThatCannotBeRightAreCalledOut() throws IOException {
        Path log = dir.resolve("log.jsonl");
        String line =
                "{\"context\":{\"dense\":[1]},\"action\":%d,\"propensity\":1e-9,\"reward\":%d}\n";
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            lines.append(line.formatted(i % 2, i % 2));
        }
        Files.writeString(log, lines);
        Path out = dir.resolve("x.snapshot");
        assertThat(run("train", "--log", log, "--objective", "ips-lpr", "--out", out)).isZero();
        assertThat(run("evaluate", "--log", log, "--policy", "uniform")).isZero();
        assertThat(capture.out())
                .contains("a bound above 1 cannot hold")
                .contains("the mean weight is far above 1")
                .doesNotContain("its value is at least");
    }

    @Test
    void anEmptyLogIsRefused() throws IOException {
        Path log = dir.resolve("empty.jsonl");
        Files.writeString(log, "\n");
        assertThat(run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("the log has no usable impressions");
    }

    @Test
    void peopleGetTables() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 500, 1, true);
        Path out = dir.resolve("better.snapshot");
        assertThat(
                        run(
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
        assertThat(run("evaluate", "--log", log, "--policy", out)).isZero();
        assertThat(run("bound", "--log", log, "--policy", out, "--prior", "none")).isZero();
        assertThat(run("inspect", out, "--weights")).isZero();
        assertThat(capture.out())
                .contains("learned, truncated IPS")
                .contains("effective sample size")
                .contains("theorem 3")
                .contains("action 3, feature 4");
        String withoutTheFolder = capture.out().replace(dir.toString(), "");
        assertThat(withoutTheFolder.lines().filter(line -> line.length() > 100)).isEmpty();
    }
}
