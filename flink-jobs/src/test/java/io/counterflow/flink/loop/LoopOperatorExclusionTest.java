package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.exampleWithout;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static io.counterflow.flink.loop.LoopEvents.without;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions in which some actions could not be chosen: learned, kept, judged and audited. */
final class LoopOperatorExclusionTest {

    private static final NamedFeaturesJson FEATURES = new NamedFeaturesJson(JsonLimits.defaults());
    private static final int EXAMPLES = 90;

    private static LoopEvent spec(boolean dense) {
        return specEvent(
                "home",
                1,
                0,
                it -> {
                    if (!dense) {
                        LoopEvents.hashed(it, 8);
                    }
                    it.setExplorationFloor(0.2);
                    it.setInverseTemperature(2.0);
                });
    }

    /** A different action is excluded in each of three examples. */
    private static List<LoopEvent> examples(boolean dense) {
        List<LoopEvent> examples = new ArrayList<>();
        for (int i = 0; i < EXAMPLES; i++) {
            examples.add(
                    dense
                            ? exampleWithout(i % 3, "home", i, 1_000L + i)
                            : namedExample(i, i % 3, "t" + i % 2));
        }
        return examples;
    }

    /** Of three actions, of which one is excluded; its topic is given. */
    private static LoopEvent namedExample(int number, int excluded, String topicOfExcluded) {
        EventRandom random = EventRandom.named("named/" + number);
        List<NamedAction> actions = new ArrayList<>();
        for (int a = 0; a < 3; a++) {
            String topic = a == excluded ? topicOfExcluded : "t" + random.nextInt(3);
            actions.add(
                    new NamedAction("a" + a, FEATURES.read("{\"topic\":\"%s\"}".formatted(topic))));
        }
        NamedFeatures user = FEATURES.read("{\"user\":\"u%d\"}".formatted(random.nextInt(4)));
        return example(
                "home",
                "e-%06d".formatted(number),
                1_000L + number,
                new Context.Named(user, actions),
                without(excluded, (excluded + 1 + random.nextInt(2)) % 3, 0.5),
                0,
                random.nextInt(2));
    }

    private static LoopResults resultsOf(LoopEvent spec, List<LoopEvent> examples)
            throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(spec);
            harness.take(examples);
            harness.end();
            return harness.results();
        }
    }

    @Test
    void theWeightsOfAnActionThatIsAlwaysExcludedAreNeverTouched() throws Exception {
        List<LoopEvent> examples = new ArrayList<>();
        for (int i = 0; i < EXAMPLES; i++) {
            examples.add(exampleWithout(1, "home", i, 1_000L + i));
        }
        List<PolicySnapshotRecord> snapshots = resultsOf(spec(true), examples).snapshots();
        assertThat(snapshots).hasSize(2);
        DenseModel model = (DenseModel) SnapshotConversion.fromRecord(snapshots.get(1)).model();
        assertThat(model.weights(1)).containsOnly(0.0f);
        assertThat(model.biases()[1]).isZero();
        assertThat(model.weights(0)).doesNotContain(0.0f);
        assertThat(model.weights(2)).doesNotContain(0.0f);
    }

    @Test
    void whatAnExcludedActionIsLikeMakesNoDifference() throws Exception {
        List<LoopEvent> some = new ArrayList<>();
        List<LoopEvent> others = new ArrayList<>();
        List<LoopEvent> chosenFrom = new ArrayList<>();
        for (int i = 0; i < EXAMPLES; i++) {
            some.add(namedExample(i, i % 3, "t0"));
            others.add(namedExample(i, i % 3, "other" + i));
            chosenFrom.add(namedExample(i, (i + 1) % 3, "t0"));
        }
        LoopResults expected = resultsOf(spec(false), some);
        LoopResults actual = resultsOf(spec(false), others);
        assertThat(expected.snapshots()).hasSize(2);
        assertThat(actual.snapshots()).isEqualTo(expected.snapshots());
        assertThat(actual.windows()).isNotEmpty().isEqualTo(expected.windows());
        assertThat(resultsOf(spec(false), chosenFrom).snapshots())
                .as("with another action excluded")
                .isNotEqualTo(expected.snapshots());
    }

    /** What is excluded is read from state again: otherwise replayed steps would be others. */
    @ParameterizedTest(name = "dense {0}")
    @ValueSource(booleans = {true, false})
    void aRestartBetweenAnyTwoExamplesChangesNothing(boolean dense) throws Exception {
        LoopResults expected = resultsOf(spec(dense), examples(dense));
        assertThat(expected.snapshots()).hasSize(2);

        LoopResults actual = LoopResults.NONE;
        OperatorSubtaskState state = null;
        List<LoopEvent> events = new ArrayList<>(List.of(spec(dense)));
        events.addAll(examples(dense));
        for (LoopEvent event : events) {
            try (LoopHarness harness = restored(state)) {
                harness.take(event);
                state = harness.snapshot();
                actual = actual.and(harness.results());
            }
        }
        try (LoopHarness harness = restored(state)) {
            harness.end();
            actual = actual.and(harness.results());
        }
        assertThat(actual).isEqualTo(expected);
    }

    private static LoopHarness restored(@Nullable OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    @Test
    void positionsBeyondTheActionsAreRefused() throws Exception {
        Context vector = new Context.Vector(DenseVector.of(1, 2, 3, 4));
        LoopResults results =
                resultsOf(
                        spec(true),
                        List.of(
                                example("home", "e", 1_000, vector, without(3, 0, 0.5), 0, 1.0),
                                exampleWithout(2, "home", 1, 1_001)));
        assertThat(results.windows()).extracting(IpsWindowRecord::getN).containsOnly(1L);
        assertThat(results.deadLetters())
                .extracting(DeadLetterRecord::getReason)
                .containsExactly("excludedActions must be below 3, the number of actions, got 3");
    }

    /** Positions are those of the list that decided, although another is in force by now. */
    @Test
    void exclusionsAreOfTheFixedActionsThatDecided() throws Exception {
        Context user = new Context.Named(FEATURES.read("{\"user\":\"u\"}"), List.of());
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> LoopEvents.hashed(it, 8, "a", "b", "c")));
            harness.take(specEvent("home", 2, 1_000, it -> LoopEvents.hashed(it, 8, "d", "a")));
            harness.watermark(1_000);
            assertThat(harness.results().kinds()).containsExactly("STARTED", "SPEC_CHANGED");
            state = harness.snapshot();
        }
        try (LoopHarness harness = LoopHarness.openScoring(state)) {
            harness.take(example("home", "e1", 2_001, user, without(0, 2, 0.5), 0, 1, 1.0));
            harness.take(example("home", "e2", 2_002, user, without(0, 1, 1.0), 0, 2, 1.0));
            harness.take(example("home", "e3", 2_003, user, without(2, 1, 1.0), 0, 2, 1.0));
            harness.end();
            assertThat(harness.scored())
                    .extracting(
                            ScoredWindow::actions,
                            it -> it.weight(JudgedPolicyRecord.UNIFORM).orElseThrow())
                    .as("a weight of one: the uniform policy has the logged propensity")
                    .containsExactly(tuple(3, 1.0), tuple(2, 1.0));
            assertThat(harness.results().deadLetters())
                    .extracting(DeadLetterRecord::getReason)
                    .containsExactly(
                            "excludedActions must be below 2, the number of actions, got 2");
        }
    }

    /** A decision as serving takes it: with a temperature, a floor and an excluded action. */
    @ParameterizedTest(name = "dense {0}")
    @ValueSource(booleans = {true, false})
    void thePropensityOfADecisionWithExclusionsTemperatureAndFloorIsFoundAgain(boolean dense)
            throws Exception {
        LoopSpec spec = startingWithAnOpinion(dense);
        Context context =
                dense
                        ? new Context.Vector(DenseVector.of(0.5f, -1.0f))
                        : new Context.Named(FEATURES.read("{\"user\":\"u\"}"), List.of());
        Policy policy = spec.policyOf(spec.startingModel());
        Features features = spec.assembly().features(context, spec.fixedActions());
        AllowedActions allowed = AllowedActions.allBut(1);
        Decision decision =
                policy.decide(features, allowed, EventRandom.ofAction("home", "decided"));
        double[] ofAll = new double[4];
        policy.probabilities(features, AllowedActions.ALL, ofAll);
        double[] plain = new double[4];
        Policy.softmax(spec.startingModel()).probabilities(features, allowed, plain);

        try (LoopHarness harness = LoopHarness.openScoring(null)) {
            harness.take(LoopEvents.specEvent(spec));
            int action = decision.action();
            long ms = 1_000;
            for (double logged : List.of(decision.propensity(), ofAll[action], plain[action])) {
                Choice choice =
                        new Choice(
                                action,
                                OptionalDouble.of(logged),
                                PropensityKind.EXACT,
                                List.of(),
                                allowed);
                harness.take(example("home", "e" + logged, ms++, context, choice, 3, 1.0));
            }
            harness.end();
            assertThat(harness.scored())
                    .extracting(ScoredWindow::audit)
                    .containsExactly("MATCH", "MISMATCH", "MISMATCH");
        }
    }

    /** A loop of four actions with temperature 2 and a floor whose first policy is version 3. */
    private static LoopSpec startingWithAnOpinion(boolean dense) {
        LoopSpec.Builder spec =
                LoopSpec.builder("home")
                        .at(1, Feedback.START)
                        .set(LoopSettings.INVERSE_TEMPERATURE, 2.0)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.1);
        if (dense) {
            spec.vectors(2, "a", "b", "c", "d");
        } else {
            spec.names(6).set(LoopSettings.ACTIONS, LoopShape.unnamed(List.of("a", "b", "c", "d")));
        }
        LoopShape shape = spec.build().shape();
        float[] parameters = FlatParameters.of(shape.zeros());
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = (float) Math.sin(i);
        }
        return spec.set(
                        LoopSettings.STARTING_POLICY,
                        Optional.of(
                                PolicySnapshot.of(
                                        "trained",
                                        3,
                                        FlatParameters.toModel(shape.zeros(), parameters),
                                        shape.encoder())))
                .build();
    }
}
