package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two actions: the first has the value 0.15 and is always allowed, the second has the value 0.30
 * and is allowed in 30 % of the events. The logging policy is uniform over the allowed actions. The
 * commands and the stream read the same events.
 */
final class ExcludedActionsIT {

    private static final int EXAMPLES = 20_000;
    private static final double USUAL = 0.15;
    private static final double BETTER = 0.30;
    private static final double OFFERED = 0.3;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<NamedAction> ACTIONS =
            List.of(
                    new NamedAction("usual", NamedFeatures.none()),
                    new NamedAction("better", NamedFeatures.none()));
    private static final Context VECTOR = new Context.Vector(DenseVector.of(1.0f));
    private static final Context NAMED = new Context.Named(NamedFeatures.none(), ACTIONS);

    @TempDir private Path directory;

    private static List<Impression> log(Context context, long seed) {
        EventRandom random = new EventRandom(seed);
        List<Impression> log = new ArrayList<>();
        for (int i = 0; i < EXAMPLES; i++) {
            boolean offered = random.nextDouble() < OFFERED;
            int action = offered ? random.nextInt(2) : 0;
            double worth = action == 0 ? USUAL : BETTER;
            log.add(
                    new Impression(
                            "e-" + i,
                            "home",
                            0,
                            1,
                            START.plusSeconds(i),
                            context,
                            new Choice(
                                    action,
                                    OptionalDouble.of(offered ? 0.5 : 1.0),
                                    PropensityKind.EXACT,
                                    List.of(),
                                    offered ? AllowedActions.ALL : AllowedActions.allBut(1)),
                            RewardRule.none(),
                            OptionalDouble.of(random.nextDouble() < worth ? 1.0 : 0.0)));
        }
        return log;
    }

    private Path write(List<Impression> log) throws IOException {
        Path file = directory.resolve("log.jsonl");
        try (LogWriter writer = LogWriter.create(file)) {
            for (Impression impression : log) {
                writer.write(impression);
            }
            writer.finish();
        }
        return file;
    }

    private static double probabilityOfTheBetter(Policy policy, Features features) {
        double[] probabilities = new double[2];
        policy.probabilities(features, AllowedActions.ALL, probabilities);
        return probabilities[1];
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void trainAndTheStreamPreferTheBetterActionIfItIsAllowed(boolean vectors) throws IOException {
        List<Impression> log = log(vectors ? VECTOR : NAMED, 1);
        Path out = directory.resolve("trained.snapshot");
        OfflineCommands.json(
                "train",
                "--log",
                write(log),
                "--objective",
                "trust-lpr",
                "--epochs",
                20,
                "--out",
                out);
        PolicySnapshot trained = SnapshotFile.read(out);
        FeatureAssembly assembly =
                vectors
                        ? FeatureAssembly.ofVectors(1, trained.normBound())
                        : FeatureAssembly.ofNames(
                                trained.encoder().orElseThrow(), trained.normBound());
        assertThat(
                        probabilityOfTheBetter(
                                trained.policy(), assembly.features(log.get(0).context(), ACTIONS)))
                .as("train")
                .isGreaterThanOrEqualTo(0.9);

        LoopSpec.Builder shape = LoopSpec.builder("home");
        LoopSpec spec =
                (vectors ? shape.vectors(1, "usual", "better") : shape.names(10))
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.0)
                        .build();
        LoopOutput output = new OneDistributionIT.Ignored();
        LearningLoop loop =
                LearningLoop.start(
                        spec, new LoopLimits(Long.MAX_VALUE, 1), new InMemoryStorage(), output);
        FeatureAssembly ofLoop = spec.assembly();
        for (Impression impression : log) {
            loop.take(
                    impression.toExample(ofLoop, spec.fixedActions()),
                    impression.time().toEpochMilli(),
                    output);
        }
        LinearModel learned = loop.learner().freeze(true).model();
        assertThat(
                        probabilityOfTheBetter(
                                spec.policyOf(learned),
                                ofLoop.features(log.get(0).context(), ACTIONS)))
                .as("the stream")
                .isGreaterThanOrEqualTo(0.9);
    }

    /** A policy that chooses the better action with probability 0.8 if it is allowed. */
    @Test
    void evaluateIsUnbiasedAndUsesTheWeightsOfTheGate() throws IOException {
        double better = 0.8;
        double truth = (1 - OFFERED) * USUAL + OFFERED * (better * BETTER + (1 - better) * USUAL);
        DenseModel model =
                new DenseModel(
                        new float[][] {{0f}, {(float) Math.log(better / (1 - better))}},
                        new float[2]);
        PolicySnapshot snapshot = PolicySnapshot.of("home", 4, model, Optional.empty());
        Path file = directory.resolve("known.snapshot");
        SnapshotFile.write(file, snapshot);
        List<Impression> log = log(VECTOR, 2);
        JsonNode evaluated =
                OfflineCommands.json("evaluate", "--log", write(log), "--policy", file);
        JsonNode errors = evaluated.get("standardErrors");
        for (String estimator : List.of("ips", "truncatedIps", "selfNormalized", "doublyRobust")) {
            assertThat(evaluated.get(estimator).asDouble())
                    .as(estimator)
                    .isCloseTo(truth, within(4.0 * errors.get(estimator).asDouble()));
        }
        // The weights are 1 with probability 0.7, otherwise 1.6 or 0.4: a variance of 0.3 · 0.36.
        assertThat(evaluated.get("meanWeight").asDouble())
                .isCloseTo(1.0, within(4.0 * Math.sqrt(0.3 * 0.36 / EXAMPLES)));
        assertThat(evaluated.get("ips").asDouble())
                .isCloseTo(meanByGate(snapshot, log), within(1e-12));
    }

    /** IPS with the probabilities that the gate uses for this policy. */
    private static double meanByGate(PolicySnapshot snapshot, List<Impression> log) {
        LoopSpec spec =
                LoopSpec.builder("home")
                        .vectors(1, "usual", "better")
                        .set(LoopSettings.STARTING_POLICY, Optional.of(snapshot))
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.0)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L)
                        .build();
        assertThat(spec.decisionRule()).isEqualTo(DecisionRule.PLAIN);
        LoopOutput output = new OneDistributionIT.Ignored();
        LearningLoop loop =
                LearningLoop.start(
                        spec, new LoopLimits(Long.MAX_VALUE, 1), new InMemoryStorage(), output);
        double sum = 0.0;
        for (Impression impression : log) {
            double probability =
                    loop.take(
                                    impression.toExample(spec.assembly(), List.of()),
                                    impression.time().toEpochMilli(),
                                    output)
                            .active()
                            .probability();
            sum +=
                    probability
                            / impression.choice().propensity().orElseThrow()
                            * impression.reward().orElseThrow();
        }
        return sum / log.size();
    }
}
