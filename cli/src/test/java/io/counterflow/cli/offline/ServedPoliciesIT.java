package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots contain their decision rule; options such as {@code --inverse-temperature} override it.
 */
final class ServedPoliciesIT {

    private static final int EXAMPLES = 2_000;
    private static final int DECISIONS = 300;
    private static final DecisionRule RULE = DecisionRule.softmax(2.0, 0.1);
    private static final DenseModel MODEL =
            SimulatedLoop.randomModel(SimulatedLogs.ACTIONS, SimulatedLogs.DIMENSION, 0.7, 5);

    @TempDir private Path directory;

    private Path log;
    private Path plain;
    private Path served;

    @BeforeEach
    void write() throws IOException {
        log = SimulatedLogs.dense(directory.resolve("log.jsonl"), EXAMPLES, 1, true);
        Path ofPlain = Files.createDirectory(directory.resolve("plain"));
        Path ofServed = Files.createDirectory(directory.resolve("served"));
        plain = snapshot(ofPlain.resolve("v4.snapshot"), DecisionRule.PLAIN);
        served = snapshot(ofServed.resolve("v4.snapshot"), RULE);
    }

    private static Path snapshot(Path file, DecisionRule rule) throws IOException {
        return snapshot(file, rule, 1);
    }

    private static Training frozenUnder(long specVersion) {
        return new Training(
                "", OptionalDouble.empty(), OptionalDouble.empty(), 0, false, "", specVersion);
    }

    private static Path snapshot(Path file, DecisionRule rule, long specVersion)
            throws IOException {
        SnapshotFile.write(
                file,
                new PolicySnapshot(
                        "home",
                        4,
                        OptionalLong.empty(),
                        Instant.parse("2026-01-01T00:00:00Z"),
                        MODEL,
                        Optional.empty(),
                        rule,
                        OptionalDouble.empty(),
                        OptionalDouble.empty(),
                        frozenUnder(specVersion),
                        Optional.empty()));
        return file;
    }

    /** IPS of the policy with these parameters and this rule. */
    private static double ips(DecisionRule rule) {
        ExampleLog examples = SimulatedLogs.examples(EXAMPLES, 1);
        PolicyOnLog policy = new PolicyOnLog(new Policy(MODEL, rule), examples);
        double sum = 0.0;
        for (int i = 0; i < EXAMPLES; i++) {
            sum += policy.probability(i) / examples.propensity(i) * examples.reward(i);
        }
        return sum / EXAMPLES;
    }

    private double evaluated(Path policy, Object... flags) throws IOException {
        Object[] words = new Object[5 + flags.length];
        System.arraycopy(
                new Object[] {"evaluate", "--log", log, "--policy", policy}, 0, words, 0, 5);
        System.arraycopy(flags, 0, words, 5, flags.length);
        return OfflineCommands.json(words).get("ips").asDouble();
    }

    @Test
    void evaluateUsesTheDecisionRuleOfTheSnapshot() throws IOException {
        assertThat(evaluated(plain)).isCloseTo(ips(DecisionRule.PLAIN), within(1e-12));
        assertThat(evaluated(served)).isCloseTo(ips(RULE), within(1e-12));
        assertThat(ips(RULE)).isNotCloseTo(ips(DecisionRule.PLAIN), within(1e-3));
    }

    @Test
    void theOptionsOverrideTheSnapshot() throws IOException {
        assertThat(evaluated(plain, "--inverse-temperature", 2, "--exploration-floor", 0.1))
                .isEqualTo(evaluated(served));
        assertThat(evaluated(served, "--exploration-floor", 0.5))
                .isCloseTo(ips(DecisionRule.softmax(2.0, 0.5)), within(1e-12));
        assertThat(evaluated(served, "--inverse-temperature", 0.5))
                .isCloseTo(ips(DecisionRule.softmax(0.5, 0.1)), within(1e-12));
        assertThat(evaluated(served, "--exploration-floor", 1))
                .isCloseTo(evaluated(Path.of("uniform")), within(1e-12));
    }

    @Test
    void anOptionOutOfRangeIsRefusedByName() {
        OfflineCommands commands = new OfflineCommands();
        assertThat(
                        commands.run(
                                "evaluate",
                                "--log",
                                log,
                                "--policy",
                                plain,
                                "--inverse-temperature",
                                1e7))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("--inverse-temperature", "must be in [0, 1e6]");
    }

    /** The softmax of doubled parameters is the softmax at twice the inverse temperature. */
    @Test
    void boundUsesTheTemperatureOfServing() throws IOException {
        Path doubled = directory.resolve("doubled.snapshot");
        SnapshotFile.write(
                doubled, PolicySnapshot.of("home", 4, MODEL.scaled(2.0), Optional.empty()));
        JsonNode expected = bound(doubled);
        for (JsonNode bounds :
                List.of(
                        bound(served, "--exploration-floor", 0),
                        bound(plain, "--inverse-temperature", 2))) {
            assertThat(bounds.get("truncatedIps").asDouble())
                    .isCloseTo(expected.get("truncatedIps").asDouble(), within(1e-6));
            assertThat(bounds.get("truncatedIps").asDouble())
                    .isNotCloseTo(bound(plain).get("truncatedIps").asDouble(), within(1e-3));
        }
        assertThat(bound(served).get("truncatedIps").asDouble()).isCloseTo(ips(RULE), within(0.01));
    }

    @Test
    void boundReportsTheValueWithTheExplorationFloor() throws IOException {
        JsonNode bounds = bound(plain, "--exploration-floor", 0.2);
        double value = bounds.get("learnedFrom").get("valueLowerBound").asDouble();
        double without = bound(plain).get("learnedFrom").get("valueLowerBound").asDouble();
        assertThat(value).isPositive().isNotEqualTo(without);
        // The bounds of the paper are about the scores alone.
        assertThat(bounds.get("theorem3")).isEqualTo(bound(plain).get("theorem3"));
    }

    /** The variance of the prior is that of β w: at twice β, the variance of w is a quarter. */
    @Test
    void aBayesianObjectiveAndTheBoundHaveTheSamePriorAtEveryTemperature() throws IOException {
        assertThat(strengthAt(2.0)).isCloseTo(4.0 * strengthAt(1.0), within(1e-12));
    }

    private double strengthAt(double inverseTemperature) throws IOException {
        return OfflineCommands.json(
                        "train",
                        "--log",
                        log,
                        "--objective",
                        "bcrm-convex",
                        "--prior",
                        "none",
                        "--epochs",
                        1,
                        "--inverse-temperature",
                        inverseTemperature,
                        "--out",
                        directory.resolve("bayesian.snapshot"))
                .get("lambda")
                .asDouble();
    }

    private JsonNode bound(Path policy, Object... flags) throws IOException {
        Object[] words = new Object[7 + flags.length];
        System.arraycopy(
                new Object[] {"bound", "--log", log, "--policy", policy, "--prior", "none"},
                0,
                words,
                0,
                7);
        System.arraycopy(flags, 0, words, 7, flags.length);
        return OfflineCommands.json(words);
    }

    private DecisionRule ruleOfTrained(Path prior, Object... flags) throws IOException {
        Path out = directory.resolve("trained.snapshot");
        Object[] words = new Object[11 + flags.length];
        System.arraycopy(
                new Object[] {
                    "train",
                    "--log",
                    log,
                    "--objective",
                    "trust-lpr",
                    "--prior",
                    prior,
                    "--epochs",
                    1,
                    "--out",
                    out
                },
                0,
                words,
                0,
                11);
        System.arraycopy(flags, 0, words, 11, flags.length);
        OfflineCommands.json(words);
        return SnapshotFile.read(out).decisionRule();
    }

    @Test
    void aTrainedPolicyInheritsTheDecisionRuleOfItsPrior() throws IOException {
        assertThat(ruleOfTrained(plain)).isEqualTo(DecisionRule.PLAIN);
        assertThat(ruleOfTrained(served)).isEqualTo(RULE);
        assertThat(ruleOfTrained(served, "--exploration-floor", 0.3))
                .isEqualTo(DecisionRule.softmax(2.0, 0.3));
        assertThat(ruleOfTrained(served, "--inverse-temperature", 1))
                .isEqualTo(DecisionRule.softmax(1.0, 0.1));
    }

    /** A log of the policy at temperature 2 with a floor of 0.1, some of it with exclusions. */
    private Path servedLog() throws IOException {
        Policy policy = new Policy(MODEL, RULE);
        Path file = directory.resolve("served.jsonl");
        try (LogWriter writer = LogWriter.create(file)) {
            for (int i = 0; i < DECISIONS; i++) {
                EventRandom random = new EventRandom(i);
                float[] x = new float[SimulatedLogs.DIMENSION];
                for (int j = 0; j < x.length; j++) {
                    x[j] = (float) random.nextGaussian();
                }
                AllowedActions allowed =
                        i % 4 == 0 ? AllowedActions.allBut(i % 3) : AllowedActions.ALL;
                String eventId = "e-" + i;
                Decision decision =
                        policy.decide(
                                DenseVector.of(x), allowed, EventRandom.ofAction("home", eventId));
                writer.write(
                        new Impression(
                                eventId,
                                "home",
                                4,
                                1,
                                Instant.parse("2026-01-01T00:00:00Z").plusSeconds(i),
                                new Context.Vector(DenseVector.of(x)),
                                new Choice(
                                        decision.action(),
                                        OptionalDouble.of(decision.propensity()),
                                        decision.kind(),
                                        List.of(),
                                        allowed),
                                RewardRule.none(),
                                OptionalDouble.empty()));
            }
            writer.finish();
        }
        return file;
    }

    private static Path folderOf(Path snapshot) {
        return snapshot.resolveSibling(".");
    }

    @Test
    void auditMatchesALogWithSnapshotsAlone() throws IOException {
        JsonNode audit =
                OfflineCommands.json("audit", "--log", servedLog(), "--policies", folderOf(served));
        assertThat(audit.get("matches").asInt()).isEqualTo(DECISIONS);
    }

    @Test
    void auditUsesTheOptionsIfASnapshotHasNoDecisionRule() throws IOException {
        Path file = servedLog();
        JsonNode audit =
                OfflineCommands.json(
                        "audit",
                        "--log",
                        file,
                        "--policies",
                        folderOf(plain),
                        "--inverse-temperature",
                        2,
                        "--exploration-floor",
                        0.1);
        assertThat(audit.get("matches").asInt()).isEqualTo(DECISIONS);
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("audit", "--log", file, "--policies", folderOf(plain)))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("first mismatch");
    }

    @Test
    void auditDoesNotReportDecisionsUnderAnotherSpecAsMismatches() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("before-the-change"));
        snapshot(folder.resolve("v4.snapshot"), DecisionRule.PLAIN, 7);
        JsonNode audit = OfflineCommands.json("audit", "--log", servedLog(), "--policies", folder);
        assertThat(audit.get("otherActions").asInt()).isZero();
        assertThat(audit.get("otherPropensities").asInt()).isZero();
        assertThat(audit.get("unknownPolicies").asInt()).isEqualTo(DECISIONS);
    }
}
