package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each candidate logs the examples for the next one: the true value must increase. */
final class GenerationsTest {

    private static final int SEEDS = 10;
    private static final int GENERATIONS = 6;
    private static final int EXAMPLES = 2_000;

    @ParameterizedTest
    @EnumSource(
            value = ObjectiveName.class,
            names = {"IPS_LPR", "IPS_L2", "LS_LPR", "TRUST_LPR"})
    void sixGenerationsRaiseTheExpectedRewardEachTimeOnAverage(ObjectiveName objective) {
        double[] mean = meanValues(objective, 5);
        for (int g = 1; g <= GENERATIONS; g++) {
            assertThat(mean[g]).as("generation %d of %s", g, objective).isGreaterThan(mean[g - 1]);
        }
    }

    /**
     * Its optimum is π(a|x) ∝ E[r|x, a] whoever logged: the first generation comes near it, and
     * later ones cannot improve.
     */
    @Test
    void theWeightedLikelihoodRisesOnceAndStays() {
        double[] mean = meanValues(ObjectiveName.WNLL_LPR, 5);
        for (int g = 1; g <= GENERATIONS; g++) {
            assertThat(mean[g]).as("generation %d", g).isGreaterThan(mean[0] + 0.2);
        }
    }

    /**
     * Weights of fifty actions that a uniform policy logs reach fifty, beyond what is trusted: with
     * few steps the first generation learns less, and later ones make up most of it.
     */
    @Test
    void amongManyActionsWithNoisyRewardsTrustedWeightsStayNearIps() {
        double[] ips = meanValues(ObjectiveName.IPS_LPR, 50);
        double[] trusted = meanValues(ObjectiveName.TRUST_LPR, 50);
        assertThat(trusted[1]).isCloseTo(ips[1], within(0.03));
        assertThat(trusted[GENERATIONS]).isCloseTo(ips[GENERATIONS], within(0.015));
    }

    private static double[] meanValues(ObjectiveName objective, int actions) {
        double[] mean = new double[GENERATIONS + 1];
        for (int seed = 0; seed < SEEDS; seed++) {
            double[] values = values(objective, actions, seed);
            for (int g = 0; g <= GENERATIONS; g++) {
                mean[g] += values[g] / SEEDS;
            }
        }
        return mean;
    }

    private static double[] values(ObjectiveName objective, int actions, int seed) {
        SimulatedLoop truth = new SimulatedLoop(actions, 8, 100 + seed);
        LoopSpec spec =
                Specs.batches(Specs.vectors(actions, 8), 50, 4, EXAMPLES, seed)
                        .set(LoopSettings.OBJECTIVE_NAME, objective)
                        .set(LoopSettings.LAMBDA, 1e-5)
                        .set(LoopSettings.SMOOTHING, 0.02)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, (long) EXAMPLES)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                        .build();
        InMemoryStorage versions = new InMemoryStorage();
        List<RolloutChange> promotions = new ArrayList<>();
        LoopOutput output = promotionsTo(promotions);
        LearningLoop loop =
                LearningLoop.start(spec, new LoopLimits(Specs.MANY_BYTES, 1), versions, output);
        EventRandom events = new EventRandom(1_000 + seed);
        LinearModel active = spec.startingModel();
        double[] values = new double[GENERATIONS + 1];
        values[0] = value(truth, active);
        for (int g = 1; g <= GENERATIONS; g++) {
            ExampleLog log = truth.log(Policy.softmax(active), EXAMPLES, events);
            for (int i = 0; i < EXAMPLES; i++) {
                if (i == EXAMPLES - 1) {
                    assertThat(promotions).as("before the last example").hasSize(g - 1);
                }
                LoggedExample e = log.example(i);
                loop.take(
                        new LoggedExample(
                                e.features(),
                                e.action(),
                                e.propensity(),
                                e.reward(),
                                loop.gate().rollout().activeVersion()),
                        i,
                        output);
            }
            assertThat(promotions).hasSize(g);
            long promoted = promotions.get(g - 1).rollout().activeVersion();
            active = versions.parameters(promoted).orElseThrow().model();
            values[g] = value(truth, active);
        }
        return values;
    }

    private static LoopOutput promotionsTo(List<RolloutChange> promotions) {
        return new LoopOutput() {
            @Override
            public void frozen(Candidate candidate) {
                assertThat(candidate.examples()).isEqualTo(EXAMPLES);
            }

            @Override
            public void changed(RolloutChange change) {
                if (change.kind() == RolloutChange.Kind.PROMOTED) {
                    promotions.add(change);
                }
            }
        };
    }

    private static double value(SimulatedLoop truth, LinearModel model) {
        return truth.value(Policy.softmax(model), 5_000, new EventRandom(77));
    }
}
