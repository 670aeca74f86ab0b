package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Loops in gated mode with known values. */
final class GatedLoopTest {

    private static final int ACTIONS = 5;
    private static final int DIMENSION = 6;
    private static final int EVENTS = 8_000;
    private static final int LOOPS = 8;

    private static final LoopSpec SPEC =
            Specs.batches(Specs.vectors(ACTIONS, DIMENSION), 50, 4, 2_000, 1)
                    .set(LoopSettings.LAMBDA, 1e-5)
                    .set(LoopSettings.SMOOTHING, 0.02)
                    .set(LoopSettings.SNAPSHOT_EXAMPLES, 500L)
                    .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                    .set(LoopSettings.CANDIDATE_EXAMPLES, 1_000L)
                    .build();

    @Test
    void everyPromotionOfAGatedLoopIsToABetterPolicy() {
        for (int seed = 0; seed < LOOPS; seed++) {
            assertBetterEachTime(valuesOfActive(seed, 0.0), seed);
        }
    }

    private static void assertBetterEachTime(List<Double> values, int seed) {
        assertThat(values).as("the start and at least one promotion").hasSizeGreaterThan(1);
        for (int g = 1; g < values.size(); g++) {
            assertThat(values.get(g))
                    .as("promotion %d, seed %d", g, seed)
                    .isGreaterThan(values.get(g - 1));
        }
    }

    @Test
    void everyPromotionOfAGatedLoopWithCanariesIsToABetterPolicy() {
        for (int seed = 0; seed < 3; seed++) {
            List<Double> values = valuesOfActive(seed, 0.8);
            assertBetterEachTime(values, seed);
            assertThat(values.get(values.size() - 1)).isGreaterThan(values.get(0) + 0.1);
        }
    }

    /** True values of the policies that were active, one after the other. */
    private static List<Double> valuesOfActive(int seed, double canaryShare) {
        SimulatedLoop truth = new SimulatedLoop(ACTIONS, DIMENSION, 40 + seed);
        InMemoryStorage versions = new InMemoryStorage();
        ActiveValues values = new ActiveValues(truth, versions);
        LearningLoop loop =
                LearningLoop.start(
                        SPEC.with(LoopSettings.CANARY_SHARE, canaryShare),
                        new LoopLimits(Specs.MANY_BYTES, 10),
                        versions,
                        values);
        EventRandom random = new EventRandom(900 + seed);
        for (int i = 0; i < EVENTS; i++) {
            String id = seed + "/" + i;
            Rollout now = loop.gate().rollout();
            DenseVector x = truth.drawContext(random);
            Decision decision =
                    SimulatedServing.decide(loop, versions, x, AllowedActions.ALL, "loop", id);
            double reward =
                    random.nextDouble() < truth.rewardProbability(x, decision.action()) ? 1 : 0;
            loop.take(
                    new LoggedExample(
                            x,
                            decision.action(),
                            decision.propensity(),
                            reward,
                            now.activeVersion()),
                    new DecisionOrigin(0, decision.kind(), now.split(), 1_000L * i),
                    1_000L * i, // slow enough for candidates every 500 events
                    values);
        }
        return values.values;
    }

    /** Records the true value of each version that becomes active, including the first. */
    private static final class ActiveValues implements LoopOutput {

        private final SimulatedLoop truth;
        private final LoopStorage versions;
        private final List<Double> values = new ArrayList<>();

        ActiveValues(SimulatedLoop truth, LoopStorage versions) {
            this.truth = truth;
            this.versions = versions;
        }

        @Override
        public void frozen(Candidate candidate) {
            assertThat(versions.versions()).contains(candidate.version());
        }

        @Override
        public void changed(RolloutChange change) {
            if (change.startsGeneration() || change.kind() == RolloutChange.Kind.STARTED) {
                LinearModel model =
                        versions.parameters(change.rollout().activeVersion()).orElseThrow().model();
                values.add(truth.value(Policy.softmax(model), 5_000, new EventRandom(77)));
            }
        }
    }
}
