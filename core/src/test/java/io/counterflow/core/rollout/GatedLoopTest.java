package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.loop.MiniBatches;
import io.counterflow.core.loop.SnapshotCadence;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Learner and gate together, as one operator composes them, on loops whose truth is known. */
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
        Map<Long, LinearModel> models = new HashMap<>();
        models.put(0L, LEARNER.shape());
        LoopLearner learner = LoopLearner.start(LEARNER, 0, LEARNER.shape());
        Gate gate = Gate.start(new GateSpec(RolloutMode.GATED, 0.05, 1_000, canaryShare, true), 0);
        List<Double> values = new ArrayList<>();
        values.add(value(truth, LEARNER.shape()));
        EventRandom random = new EventRandom(900 + seed);
        for (int i = 0; i < EVENTS; i++) {
            String id = seed + "/" + i;
            Rollout now = gate.rollout();
            long decides =
                    CanaryShare.decidesCanary(id, now.share())
                            ? now.candidateVersion().orElseThrow()
                            : now.activeVersion();
            DenseVector x = truth.drawContext(random);
            Decision decision = policy(models, decides).decide(x, EventRandom.of(id));
            double reward =
                    random.nextDouble() < truth.rewardProbability(x, decision.action()) ? 1 : 0;
            LoggedExample example =
                    new LoggedExample(x, decision.action(), decision.propensity(), reward, decides);
            Optional<RolloutChange> change =
                    gate.observe(
                            decides,
                            weight(models, now.candidateVersion(), example),
                            weight(models, OptionalLong.of(now.activeVersion()), example),
                            weight(models, now.previousVersion(), example),
                            reward);
            learner.learn(example, i);
            if (change.isPresent() && change.get().startsGeneration()) {
                long active = gate.rollout().activeVersion();
                LinearModel model = policy(models, active).model();
                learner.promote(active, model);
                values.add(value(truth, model));
            }
            if (learner.snapshotDue()) {
                Candidate candidate = learner.freeze();
                models.put(candidate.version(), candidate.model());
                gate.offer(candidate.version());
            }
        }
        return values;
    }

    private static SoftmaxPolicy policy(Map<Long, LinearModel> models, long version) {
        return new SoftmaxPolicy(Objects.requireNonNull(models.get(version)));
    }

    private static double weight(
            Map<Long, LinearModel> models, OptionalLong version, LoggedExample example) {
        if (version.isEmpty()) {
            return 0.0;
        }
        double[] probabilities = new double[ACTIONS];
        policy(models, version.getAsLong()).probabilities(example.features(), probabilities);
        return probabilities[example.action()] / example.propensity();
    }

    private static double value(SimulatedLoop truth, LinearModel model) {
        return truth.value(new SoftmaxPolicy(model), 5_000, new EventRandom(77));
    }
}
