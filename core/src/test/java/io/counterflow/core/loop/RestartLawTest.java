package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.UniformPolicy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A restart between any two examples changes nothing. */
final class RestartLawTest {

    private static final int EXAMPLES = 130;
    private static final int NEVER = -1;

    @ParameterizedTest
    @EnumSource(StreamObjective.Kind.class)
    void aRestartOfADenseLoopBetweenAnyTwoExamplesChangesNothing(StreamObjective.Kind kind) {
        LearnerSpec spec = Specs.with(Specs.dense(), kind);
        ExampleLog log =
                new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1)
                        .log(new UniformPolicy(Specs.ACTIONS), EXAMPLES, new EventRandom(3));
        assertRestartsChangeNothing(spec, log);
    }

    @ParameterizedTest
    @EnumSource(StreamObjective.Kind.class)
    void aRestartOfAHashedLoopBetweenAnyTwoExamplesChangesNothing(StreamObjective.Kind kind) {
        assertRestartsChangeNothing(
                Specs.with(Specs.of(HashedModel.zeros(6)), kind), hashedLog(new EventRandom(4)));
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
            ActionFeatures phi = new ActionFeatures(6, new int[] {0, 4, 8, 12}, indices, values);
            log.add(new LoggedExample(phi, random.nextInt(3), 1.0 / 3.0, random.nextDouble(), 0));
        }
        return log;
    }

    private static void assertRestartsChangeNothing(LearnerSpec spec, ExampleLog log) {
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
                candidate.examples(),
                candidate.certificate());
    }

    /** Three candidates by cadence, the second one promoted, and a last one by hand. */
    private static List<Candidate> candidates(LearnerSpec spec, ExampleLog log, int restart) {
        List<Candidate> candidates = new ArrayList<>();
        LoopLearner learner = LoopLearner.start(spec, 0, spec.shape());
        for (int i = 0; i < EXAMPLES; i++) {
            if (i == restart) {
                learner = LoopLearner.restore(spec, learner.state());
            }
            learner.learn(log.example(i), 10L * i);
            if (learner.snapshotDue()) {
                candidates.add(learner.freeze());
            }
            if (i == 85) {
                Candidate promoted = candidates.get(1);
                learner.promote(promoted.version(), promoted.model());
            }
        }
        candidates.add(learner.freeze());
        return candidates;
    }
}
