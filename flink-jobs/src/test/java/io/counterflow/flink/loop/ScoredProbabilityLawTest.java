package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the job says of an example is, to the last bit, what the policy of the spec says, which is
 * the one that is served.
 */
final class ScoredProbabilityLawTest {

    private static final int EXAMPLES = 60;
    private static final long START = 7;

    private SplittableRandom random = new SplittableRandom();

    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void probabilitiesHaveTheBitsOfThePolicyOfTheSpec(long seed) throws Exception {
        random = new SplittableRandom(seed);
        LoopSpec spec = spec();
        List<Context> contexts = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        for (int i = 0; i < EXAMPLES; i++) {
            contexts.add(context(spec));
            choices.add(choice(actionCount(spec, contexts.get(i))));
        }

        LoopResults results = judged(spec, contexts, choices);
        List<ScoredWindow> scored = results.windows().stream().map(ScoredWindow::new).toList();

        assertThat(results.deadLetters()).isEmpty();
        assertThat(scored).hasSize(EXAMPLES);
        Map<Long, LinearModel> models = models(spec, results.snapshots());
        FeatureAssembly assembly = spec.assembly();
        for (int i = 0; i < EXAMPLES; i++) {
            ScoredWindow judged = scored.get(i);
            Features features = assembly.features(contexts.get(i), spec.fixedActions());
            Choice choice = choices.get(i);
            assertBits(
                    judged.weight(JudgedPolicyRecord.ACTIVE).orElseThrow(),
                    policy(spec, models, judged.activeVersion()),
                    features,
                    choice,
                    "seed %d, example %d".formatted(seed, i));
            Optional<PolicyEstimateRecord> candidate =
                    judged.estimate(JudgedPolicyRecord.CANDIDATE);
            if (candidate.isPresent()) {
                assertBits(
                        candidate.get().getMeanWeight(),
                        policy(spec, models, candidate.get().getVersion()),
                        features,
                        choice,
                        "the candidate, seed %d, example %d".formatted(seed, i));
            }
        }
        assertThat(scored)
                .extracting(ScoredWindow::activeVersion)
                .as("the starting policy and learned ones were judged")
                .contains(START, START + 1, START + 2);
    }

    private static Policy policy(LoopSpec spec, Map<Long, LinearModel> models, long version) {
        return spec.policyOf(Objects.requireNonNull(models.get(version)));
    }

    private static void assertBits(
            double actual, Policy policy, Features features, Choice choice, String what) {
        double[] probabilities = new double[policy.actionCount(features)];
        policy.probabilities(features, choice.allowed(), probabilities);
        assertThat(Double.doubleToLongBits(actual))
                .as(what)
                .isEqualTo(
                        Double.doubleToLongBits(
                                probabilities[choice.action()]
                                        / choice.propensity().orElseThrow()));
    }

    private static LoopResults judged(LoopSpec spec, List<Context> contexts, List<Choice> choices)
            throws Exception {
        try (LoopHarness harness = LoopHarness.openScoring(null)) {
            harness.take(LoopEvents.specEvent(spec));
            for (int i = 0; i < EXAMPLES; i++) {
                harness.take(
                        LoopEvents.example(
                                "home",
                                "e-%06d".formatted(i),
                                1_000L + i,
                                contexts.get(i),
                                choices.get(i),
                                START,
                                i % 2));
            }
            harness.end();
            return harness.results();
        }
    }

    private static Map<Long, LinearModel> models(
            LoopSpec spec, List<PolicySnapshotRecord> snapshots) throws Exception {
        Map<Long, LinearModel> models = new HashMap<>();
        models.put(START, spec.startingModel());
        for (PolicySnapshotRecord record : snapshots) {
            PolicySnapshot snapshot = SnapshotConversion.fromRecord(record);
            assertThat(snapshot.decisionRule()).isEqualTo(spec.decisionRule());
            models.put(snapshot.version(), snapshot.model());
        }
        return models;
    }

    private LoopSpec spec() {
        LoopSpec.Builder spec =
                LoopSpec.builder("home")
                        .at(1, Feedback.START)
                        .set(LoopSettings.LEARNER, LearnerKind.LPR) // leaves the start at once
                        .set(LoopSettings.LEARNING_RATE, 0.5)
                        .set(LoopSettings.BATCH_SIZE, 5L)
                        .set(LoopSettings.BUFFER_STEPS, 1L)
                        .set(LoopSettings.BUFFER_CAPACITY, 40L)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 15L)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                        .set(
                                LoopSettings.INVERSE_TEMPERATURE,
                                random.nextBoolean() ? 1.0 : random.nextDouble(5.0))
                        .set(
                                LoopSettings.EXPLORATION_FLOOR,
                                random.nextInt(3) == 0 ? 0.0 : random.nextDouble());
        if (random.nextBoolean()) {
            spec.set(LoopSettings.NORM_BOUND, OptionalDouble.of(random.nextDouble(0.1, 3.0)));
        }
        if (random.nextInt(4) == 0) {
            spec.set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                    .set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED)
                    .set(LoopSettings.VARIANCE, OptionalDouble.of(random.nextDouble(0.1, 2.0)));
        }
        if (random.nextBoolean()) {
            spec.vectors(
                    1 + random.nextInt(5),
                    IntStream.range(0, 2 + random.nextInt(5))
                            .mapToObj(a -> "a" + a)
                            .toArray(String[]::new));
        } else {
            spec.names(2 + random.nextInt(6));
            if (random.nextBoolean()) {
                spec.set(LoopSettings.ACTIONS, actions());
            }
        }
        LoopShape shape = spec.build().shape();
        float[] parameters = FlatParameters.of(shape.zeros());
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = (float) random.nextDouble(-2.0, 2.0);
        }
        return spec.set(
                        LoopSettings.STARTING_POLICY,
                        Optional.of(
                                PolicySnapshot.of(
                                        "trained",
                                        START,
                                        FlatParameters.toModel(shape.zeros(), parameters),
                                        shape.encoder())))
                .build();
    }

    private List<NamedAction> actions() {
        List<NamedAction> actions = new ArrayList<>();
        for (int a = 2 + random.nextInt(4); a > 0; a--) {
            actions.add(new NamedAction("a" + a, features("topic")));
        }
        return actions;
    }

    private NamedFeatures features(String namespace) {
        FeatureValue value =
                random.nextBoolean()
                        ? new FeatureValue.Quantity(random.nextDouble(-3.0, 3.0))
                        : new FeatureValue.Text("t" + random.nextInt(3));
        return new NamedFeatures(
                List.of(
                        new NamedFeatures.Entry(
                                namespace,
                                new NamedFeatures(
                                        List.of(
                                                new NamedFeatures.Entry(
                                                        "f" + random.nextInt(3), value))))));
    }

    private Context context(LoopSpec spec) {
        if (spec.shape() instanceof LoopShape.Dense dense) {
            float[] x = new float[dense.features()];
            for (int j = 0; j < x.length; j++) {
                x[j] = (float) random.nextDouble(-3.0, 3.0);
            }
            return new Context.Vector(DenseVector.owning(x));
        }
        boolean bringsNone = !spec.fixedActions().isEmpty() && random.nextBoolean();
        return new Context.Named(features("user"), bringsNone ? List.of() : actions());
    }

    private static int actionCount(LoopSpec spec, Context context) {
        return context.actionCount() > 0 ? context.actionCount() : spec.shape().actionIds().size();
    }

    private Choice choice(int actions) {
        int chosen = random.nextInt(actions);
        return new Choice(
                chosen,
                OptionalDouble.of(random.nextDouble(0.05, 1.0)),
                PropensityKind.EXACT,
                List.of(),
                AllowedActions.allBut(
                        IntStream.range(0, actions)
                                .filter(a -> a != chosen && random.nextInt(3) == 0)
                                .toArray()));
    }
}
