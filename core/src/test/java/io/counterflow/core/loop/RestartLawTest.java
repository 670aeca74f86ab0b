package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A restart between any two examples changes nothing. */
final class RestartLawTest {

    private static final int EXAMPLES = 130;
    private static final int NEVER = -1;

    static List<ObjectiveName> objectives() {
        return ObjectiveName.ofStreams();
    }

    /** Temperature and floor affect the gradient. */
    private static LoopSpec served(LoopSpec.Builder builder) {
        return builder.set(LoopSettings.INVERSE_TEMPERATURE, 1.5)
                .set(LoopSettings.EXPLORATION_FLOOR, 0.1)
                .build();
    }

    @ParameterizedTest
    @MethodSource("objectives")
    void aRestartOfADenseLoopBetweenAnyTwoExamplesChangesNothing(ObjectiveName objective) {
        LoopSpec spec = Specs.of(served(Specs.vectors(Specs.ACTIONS, Specs.DIMENSION)), objective);
        ExampleLog log =
                new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1)
                        .log(Policy.uniform(spec.startingModel()), EXAMPLES, new EventRandom(3));
        assertRestartsChangeNothing(spec, restricted(log));
    }

    @ParameterizedTest
    @MethodSource("objectives")
    void aRestartOfAHashedLoopBetweenAnyTwoExamplesChangesNothing(ObjectiveName objective) {
        assertRestartsChangeNothing(
                Specs.of(served(Specs.names(6)), objective), hashedLog(new EventRandom(4)));
    }

    /** The same log with an excluded action in every third example. */
    private static ExampleLog restricted(ExampleLog log) {
        ExampleLog restricted = new ExampleLog();
        for (int i = 0; i < log.size(); i++) {
            LoggedExample e = log.example(i);
            AllowedActions allowed =
                    i % 3 == 0
                            ? AllowedActions.allBut((e.action() + 1) % Specs.ACTIONS)
                            : AllowedActions.ALL;
            restricted.add(
                    new LoggedExample(
                            e.features(),
                            allowed,
                            e.action(),
                            1.0 / allowed.count(Specs.ACTIONS),
                            e.reward(),
                            e.policyVersion()));
        }
        return restricted;
    }

    private static ExampleLog hashedLog(EventRandom random) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < EXAMPLES; i++) {
            int[] indices = new int[12];
            float[] values = new float[12];
            for (int e = 0; e < 12; e++) {
                indices[e] = random.nextInt(1 << 6);
                values[e] = (float) random.nextGaussian();
            }
            ActionFeatures phi = ActionFeatures.of(6, new int[] {0, 4, 8, 12}, indices, values);
            int action = random.nextInt(3);
            AllowedActions allowed =
                    i % 3 == 0 ? AllowedActions.allBut((action + 1) % 3) : AllowedActions.ALL;
            double propensity = 1.0 / allowed.count(3);
            log.add(new LoggedExample(phi, allowed, action, propensity, random.nextDouble(), 0));
        }
        return log;
    }

    private static void assertRestartsChangeNothing(LoopSpec spec, ExampleLog log) {
        List<Candidate> uninterrupted = candidates(spec, log, NEVER);
        assertThat(uninterrupted).hasSize(4);
        for (int restart = 0; restart < EXAMPLES; restart++) {
            List<Candidate> restarted = candidates(spec, log, restart);
            assertThat(restarted).as("restart before example %d", restart).hasSize(4);
            for (int c = 0; c < 4; c++) {
                assertSame(restarted.get(c), uninterrupted.get(c), restart);
            }
        }
    }

    private static void assertSame(Candidate actual, Candidate expected, int restart) {
        assertThat(FlatParameters.of(actual.model()))
                .as("parameters of version %d, restart before %d", actual.version(), restart)
                .isEqualTo(FlatParameters.of(expected.model()));
        LinearModel any = expected.model();
        assertThat(withModel(actual, any))
                .as("restart before example %d", restart)
                .isEqualTo(withModel(expected, any));
    }

    private static Candidate withModel(Candidate candidate, LinearModel model) {
        return new Candidate(
                candidate.version(),
                candidate.parentVersion(),
                model,
                candidate.variance(),
                candidate.fromRewardModel(),
                candidate.examples(),
                candidate.training(),
                candidate.certificate());
    }

    /** Three candidates by cadence, the second one promoted, and a last one by an explicit call. */
    private static List<Candidate> candidates(LoopSpec spec, ExampleLog log, int restart) {
        List<Candidate> candidates = new ArrayList<>();
        InMemoryStorage storage = new InMemoryStorage();
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, storage);
        for (int i = 0; i < EXAMPLES; i++) {
            if (i == restart) {
                learner = LoopLearner.restore(spec, Specs.MANY_BYTES, storage, learner.state());
            }
            learner.learn(log.example(i), 10L * i);
            if (learner.snapshotDue()) {
                candidates.add(learner.freeze(true));
            }
            if (i == 85) {
                Candidate promoted = candidates.get(1);
                learner.promote(promoted.version(), promoted.parameters());
            }
        }
        candidates.add(learner.freeze(true));
        return candidates;
    }
}
