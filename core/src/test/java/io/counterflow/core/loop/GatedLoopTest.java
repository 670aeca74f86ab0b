package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.RolloutMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Loops in gated mode whose truth is known. */
final class GatedLoopTest {

    private static final int ACTIONS = 5;
    private static final int DIMENSION = 6;
    private static final int EVENTS = 8_000;
    private static final int LOOPS = 8;

    private static final LearnerSpec LEARNER =
            new LearnerSpec(
                    DenseModel.zeros(ACTIONS, DIMENSION),
                    new StreamObjective(StreamObjective.Kind.IPS_LPR, 1e-5, 0.01, 0.02),
                    new AdaGrad(0.5, 1.0),
                    new MiniBatches(50, 4, 2_000, 1),
                    new SnapshotCadence(500, 0),
                    0.05,
                    1.0);

    @Test
    void everyPromotionOfAGatedLoopIsToABetterPolicy() {
        for (int seed = 0; seed < LOOPS; seed++) {
            List<Double> values = valuesOfActive(seed, 1.0);
            assertThat(values).as("the start and at least one promotion").hasSizeGreaterThan(1);
            for (int g = 1; g < values.size(); g++) {
                assertThat(values.get(g))
                        .as("promotion %d, seed %d", g, seed)
                        .isGreaterThan(values.get(g - 1));
            }
        }
    }

    @Test
    void aGatedLoopWithCanariesLearnsToo() {
        for (int seed = 0; seed < 3; seed++) {
            List<Double> values = valuesOfActive(seed, 0.2);
            assertThat(values).as("seed %d", seed).hasSizeGreaterThan(1);
            assertThat(values.get(values.size() - 1)).isGreaterThan(values.get(0) + 0.1);
        }
    }

    /** True values of the policies that were active, one after the other. */
    private static List<Double> valuesOfActive(int seed, double canaryShare) {
        SimulatedLoop truth = new SimulatedLoop(ACTIONS, DIMENSION, 40 + seed);
        KeptVersions versions = new KeptVersions();
        ActiveValues values = new ActiveValues(truth, versions);
        LearningLoop loop =
                LearningLoop.start(
                        new LoopRules(
                                1,
                                LEARNER,
                                new GateSpec(RolloutMode.GATED, 0.05, 1_000, canaryShare, true),
                                SoftmaxPolicy::new,
                                10),
                        0,
                        LEARNER.shape(),
                        versions,
                        values);
        EventRandom random = new EventRandom(900 + seed);
        for (int i = 0; i < EVENTS; i++) {
            String id = seed + "/" + i;
            Rollout now = loop.gate().rollout();
            long decides =
                    CanaryShare.decidesCanary(id, now.share())
                            ? now.candidateVersion().orElseThrow()
                            : now.activeVersion();
            DenseVector x = truth.drawContext(random);
            Decision decision =
                    new SoftmaxPolicy(versions.model(decides).orElseThrow())
                            .decide(x, EventRandom.of(id));
            double reward =
                    random.nextDouble() < truth.rewardProbability(x, decision.action()) ? 1 : 0;
            loop.take(
                    new LoggedExample(x, decision.action(), decision.propensity(), reward, decides),
                    AllowedActions.all(ACTIONS),
                    i,
                    values);
        }
        return values.values;
    }

    /** Writes down the true value of each version that becomes active, the first one included. */
    private static final class ActiveValues implements LoopOutput {

        private final SimulatedLoop truth;
        private final VersionStore versions;
        private final List<Double> values = new ArrayList<>();

        ActiveValues(SimulatedLoop truth, VersionStore versions) {
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
                LinearModel model = versions.model(change.rollout().activeVersion()).orElseThrow();
                values.add(truth.value(new SoftmaxPolicy(model), 5_000, new EventRandom(77)));
            }
        }
    }
}
