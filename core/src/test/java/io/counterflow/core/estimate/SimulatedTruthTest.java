package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import io.counterflow.core.simulation.SimulatedLoop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Estimators against a policy's true value in a simulated loop. */
final class SimulatedTruthTest {

    private static final int ACTIONS = 4;
    private static final int DIMENSION = 3;
    private static final double STANDARD_ERRORS = 4.0;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theTrueValueIsWithinFourStandardErrors(long seed) {
        SimulatedLoop loop = new SimulatedLoop(ACTIONS, DIMENSION, seed);
        DenseModel targetModel = SimulatedLoop.randomModel(ACTIONS, DIMENSION, 1.0, ~seed);
        Policy logging =
                Policy.softmax(SimulatedLoop.randomModel(ACTIONS, DIMENSION, 0.3, seed + 100));
        Policy target = Policy.softmax(targetModel);
        ExampleLog log = loop.log(logging, 20_000, new EventRandom(seed));
        double truth = loop.value(target, 100_000, new EventRandom(seed + 1));

        // τ and λ so small that their bias is far below the standard error.
        PolicyEvaluation evaluation = new PolicyEvaluation(1e-4, 1e-5);
        evaluation.addAll(
                log, target, CrossFittedRewardModel.fit(log, targetModel, 3, RidgeConfig.DEFAULT));
        EvaluationResult result = evaluation.result(0.05);

        assertNear(result.ips(), truth, seed);
        assertNear(result.truncatedIps(), truth, seed);
        assertNear(result.clippedRatioIps(), truth, seed);
        assertNear(result.selfNormalized(), truth, seed);
        assertNear(result.logSmoothed(), truth, seed);
        assertNear(result.doublyRobust().orElseThrow(), truth, seed);
        assertNear(
                result.onPolicyMean(),
                loop.value(logging, 100_000, new EventRandom(seed + 2)),
                seed);
        assertThat(result.doublyRobust().orElseThrow().standardError())
                .as("seed %d", seed)
                .isLessThan(result.ips().standardError());
        assertThat(result.meanWeight()).as("seed %d", seed).isCloseTo(1.0, within(0.1));
        assertThat(result.clipRate()).isZero();
    }

    private static void assertNear(Estimate estimate, double truth, long seed) {
        // The truth is an average over 100,000 contexts and has an error of about 0.001 itself.
        double allowed = STANDARD_ERRORS * (estimate.standardError() + 0.001);
        assertThat(estimate.value()).as("seed %d", seed).isCloseTo(truth, within(allowed));
    }

    /**
     * Over 1,500 logs of 300 examples; the target always chooses an action that was logged with 0.4
     * and is rewarded with 0.3, so that terms are 2.5 with probability 0.12.
     */
    @Test
    void empiricalBernsteinIntervalsMissNoMoreOftenThanTheyMay() {
        int logs = 1_500;
        double delta = 0.1;
        int missedByBernstein = 0;
        int missedByNormal = 0;
        double width = 0.0;
        for (int seed = 0; seed < logs; seed++) {
            EventRandom random = EventRandom.named("log-" + seed);
            TruncatedIps estimator = new TruncatedIps(0.4);
            for (int i = 0; i < 300; i++) {
                boolean chosen = random.nextDouble() < 0.4;
                boolean rewarded = random.nextDouble() < 0.3;
                estimator.add(chosen ? 1.0 : 0.0, chosen ? 0.4 : 0.6, rewarded ? 1.0 : 0.0);
            }
            Interval bernstein = estimator.empiricalBernsteinInterval(delta);
            missedByBernstein += bernstein.contains(0.3) ? 0 : 1;
            missedByNormal += estimator.normalInterval(delta).contains(0.3) ? 0 : 1;
            width += bernstein.width() / logs;
        }
        double error = Math.sqrt(delta * (1.0 - delta) / logs);
        assertThat((double) missedByBernstein / logs)
                .as("share of %d intervals that missed", logs)
                .isLessThanOrEqualTo(delta + 3.0 * error);
        assertThat(width).isLessThan(0.5);
        // The normal interval is only asymptotic: two points of allowance on either side.
        assertThat((double) missedByNormal / logs)
                .as("share of %d intervals that missed", logs)
                .isCloseTo(delta, within(0.02 + 3.0 * error));
    }
}
