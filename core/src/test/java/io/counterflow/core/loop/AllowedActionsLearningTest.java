package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Loops whose actions are not always offered. An action that is rarely offered is rarely rewarded:
 * a learner that ignores exclusions would learn to avoid it.
 */
final class AllowedActionsLearningTest {

    private static final int EVENTS = 60_000;
    private static final int EPOCHS = 10;

    /** Value of each action, whatever the context. */
    private static final double[] TWO = {0.30, 0.15};

    private static final double[] FIVE = {0.3, 0.1, 0.5, 0.2, 0.4};

    /** How often each of the five actions is offered: better actions are offered less often. */
    private static final double[] OFFERED = {0.6, 1.0, 0.4, 0.8, 0.5};

    enum Kind {
        DENSE,
        HASHED
    }

    /** The result of a run. */
    private record Run(LoopSpec spec, Features features, Policy served, ExampleLog log) {

        double probability(AllowedActions allowed, int action) {
            return LoopRun.probability(served, features, allowed, action);
        }
    }

    @ParameterizedTest
    @CsvSource({"DENSE, 1", "DENSE, 2", "HASHED, 1", "HASHED, 2"})
    void aBetterActionThatIsSeldomOfferedIsChosenWhereItIs(Kind kind, double inverseTemperature) {
        Run run = run(kind, TWO, inverseTemperature, AllowedActionsLearningTest::firstSeldom, 1);
        assertThat(run.probability(AllowedActions.ALL, 0)).isGreaterThanOrEqualTo(0.9);
        assertThat(run.probability(AllowedActions.allBut(0), 1)).isEqualTo(1.0);
    }

    private static AllowedActions firstSeldom(EventRandom random) {
        return random.nextDouble() < 0.3 ? AllowedActions.ALL : AllowedActions.allBut(0);
    }

    @ParameterizedTest
    @CsvSource({"DENSE, 1", "DENSE, 2", "HASHED, 1", "HASHED, 2"})
    void ofTheActionsThatAreOfferedTheBestIsTheMostProbable(Kind kind, double inverseTemperature) {
        Run run = run(kind, FIVE, inverseTemperature, AllowedActionsLearningTest::someOfFive, 2);
        for (AllowedActions allowed : setsOf(FIVE.length)) {
            assertThat(mostProbable(run.served(), run.features(), allowed))
                    .as("%s", allowed)
                    .isEqualTo(best(FIVE, allowed));
        }
    }

    private static AllowedActions someOfFive(EventRandom random) {
        return AllowedActions.allBut(
                IntStream.range(0, FIVE.length)
                        .filter(a -> random.nextDouble() >= OFFERED[a])
                        .toArray());
    }

    @ParameterizedTest
    @CsvSource({"DENSE, 1", "HASHED, 2"})
    void trainingOfflineOnTheSameExamplesPrefersTheSameActions(
            Kind kind, double inverseTemperature) {
        Run run = run(kind, FIVE, inverseTemperature, AllowedActionsLearningTest::someOfFive, 3);
        PolicyTrainer trainer =
                new PolicyTrainer(
                        run.spec().objective(run.log().size()),
                        new TrainerConfig(
                                EPOCHS,
                                run.spec().whole(LoopSettings.BATCH_SIZE),
                                run.spec().optimizer(),
                                4,
                                TrainerConfig.Start.PRIOR,
                                inverseTemperature));
        var trained = trainer.train(run.log(), run.spec().startingModel(), epoch -> {});
        Policy offline = run.spec().policyOf(trained.model());
        for (AllowedActions allowed : setsOf(FIVE.length)) {
            assertThat(mostProbable(offline, run.features(), allowed))
                    .as("%s", allowed)
                    .isEqualTo(mostProbable(run.served(), run.features(), allowed));
        }
    }

    /** All sets of actions that leave at least one. */
    private static List<AllowedActions> setsOf(int actions) {
        List<AllowedActions> sets = new ArrayList<>();
        for (int mask = 0; mask < (1 << actions) - 1; mask++) {
            int excluded = mask;
            sets.add(
                    AllowedActions.allBut(
                            IntStream.range(0, actions)
                                    .filter(a -> (excluded >> a & 1) == 1)
                                    .toArray()));
        }
        return sets;
    }

    private static int mostProbable(Policy policy, Features features, AllowedActions allowed) {
        double[] probabilities = new double[policy.actionCount(features)];
        policy.probabilities(features, allowed, probabilities);
        return best(probabilities, allowed);
    }

    private static int best(double[] values, AllowedActions allowed) {
        int best = -1;
        for (int a = 0; a < values.length; a++) {
            if (allowed.contains(a) && (best < 0 || values[a] > values[best])) {
                best = a;
            }
        }
        return best;
    }

    /** A loop in immediate mode, else with all defaults, that learns from its own decisions. */
    private static Run run(
            Kind kind,
            double[] values,
            double inverseTemperature,
            Function<EventRandom, AllowedActions> offers,
            long seed) {
        LoopSpec spec = spec(kind, values.length, inverseTemperature);
        Features features = features(spec, kind);
        InMemoryStorage versions = new InMemoryStorage();
        LearningLoop loop =
                LearningLoop.start(spec, new LoopLimits(Specs.MANY_BYTES, 1), versions, IGNORED);
        EventRandom random = new EventRandom(seed);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < EVENTS; i++) {
            long active = loop.gate().rollout().activeVersion();
            Policy policy = spec.policyOf(versions.parameters(active).orElseThrow());
            AllowedActions allowed = offers.apply(random);
            Decision decision = policy.decide(features, allowed, random);
            double reward = random.nextDouble() < values[decision.action()] ? 1.0 : 0.0;
            LoggedExample example =
                    new LoggedExample(
                            features,
                            allowed,
                            decision.action(),
                            decision.propensity(),
                            reward,
                            active);
            log.add(example);
            loop.take(example, i, IGNORED);
        }
        long active = loop.gate().rollout().activeVersion();
        assertThat(active).as("a generation for each 10,000 examples").isEqualTo(EVENTS / 10_000);
        return new Run(
                spec, features, spec.policyOf(versions.parameters(active).orElseThrow()), log);
    }

    private static LoopSpec spec(Kind kind, int actions, double inverseTemperature) {
        String[] ids = Specs.ids(actions);
        LoopSpec.Builder builder = LoopSpec.builder("loop");
        builder =
                kind == Kind.DENSE
                        ? builder.vectors(1, ids)
                        : builder.names(10)
                                .set(LoopSettings.ACTIONS, LoopShape.unnamed(List.of(ids)));
        return builder.set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                .set(LoopSettings.LEARNER, LearnerKind.LPR)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, 10_000L)
                .set(LoopSettings.SNAPSHOT_REWARDS, 0.0)
                .set(LoopSettings.BUFFER_STEPS, 64L)
                .set(LoopSettings.INVERSE_TEMPERATURE, inverseTemperature)
                .build();
    }

    /** A context that is always the same; of named actions, only the ids are known. */
    private static Features features(LoopSpec spec, Kind kind) {
        Context context =
                kind == Kind.DENSE
                        ? new Context.Vector(DenseVector.of(1.0f))
                        : new Context.Named(NamedFeatures.none(), List.of());
        return spec.assembly().features(context, spec.fixedActions());
    }

    private static final LoopOutput IGNORED =
            new LoopOutput() {
                @Override
                public void frozen(Candidate candidate) {}

                @Override
                public void changed(RolloutChange change) {}
            };
}
