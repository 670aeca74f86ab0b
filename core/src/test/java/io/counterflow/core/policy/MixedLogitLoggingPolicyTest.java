package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;

final class MixedLogitLoggingPolicyTest {

    private static final int ACTIONS = 4;
    private static final double VARIANCE = 1.5;
    private static final DenseModel MODEL = DrawnModels.dense(ACTIONS, 3, 1.0, 21);
    private static final DenseVector X = DenseVector.of(0.6f, -0.8f, 0.3f);
    private static final MixedLogitPolicy POLICY = new MixedLogitPolicy(MODEL, VARIANCE);

    @Test
    void drawsAmongAllowedActionsWithAFloorComeAsOftenAsEstimated() {
        AllowedActions allowed = AllowedActions.allBut(ACTIONS, 1);
        MixedLogitLoggingPolicy logging =
                MixedLogitLoggingPolicy.estimating(POLICY, 2).withFloor(0.3);
        EventRandom random = new EventRandom(4);
        int[] counts = new int[ACTIONS];
        for (int i = 0; i < 20_000; i++) {
            counts[logging.decide(X, allowed, random).action()]++;
        }
        double[] estimates =
                MixedLogitLoggingPolicy.estimating(POLICY, 100_000)
                        .withFloor(0.3)
                        .decide(X, allowed, new EventRandom(5))
                        .distribution();
        ChiSquare.assertFits(counts, estimates, "floor 0.3 without action 1");
    }

    @Test
    void excludingIsTheMixedLogitOfTheOtherActionsAlone() {
        DenseModel others =
                new DenseModel(
                        new float[][] {MODEL.weights(0), MODEL.weights(2), MODEL.weights(3)},
                        new float[] {MODEL.biases()[0], MODEL.biases()[2], MODEL.biases()[3]});
        PropensityEstimate expected =
                new MixedLogitPolicy(others, VARIANCE)
                        .propensity(X, 1, 100_000, new EventRandom(6));
        double[] distribution =
                MixedLogitLoggingPolicy.estimating(POLICY, 100_000)
                        .decide(X, AllowedActions.allBut(ACTIONS, 1), new EventRandom(7))
                        .distribution();
        assertThat(distribution[1]).isZero();
        assertThat(distribution[2])
                .isCloseTo(
                        expected.value(), within(4.0 * Math.sqrt(2.0) * expected.standardError()));
    }

    @Test
    void anEstimatedDecisionSaysSoAndIsTheSameAgain() {
        MixedLogitLoggingPolicy logging = MixedLogitLoggingPolicy.estimating(POLICY, 50);
        for (int i = 0; i < 50; i++) {
            Decision decision = logging.decide(X, EventRandom.of("e-" + i));
            double[] distribution = decision.distribution();
            assertThat(decision.kind()).isEqualTo(PropensityKind.ESTIMATED);
            assertThat(decision.propensity()).isEqualTo(distribution[decision.action()]);
            double sum = distribution[0] + distribution[1] + distribution[2] + distribution[3];
            assertThat(sum).isCloseTo(1.0, within(1e-14));
            assertThat(logging.decide(X, EventRandom.of("e-" + i))).isEqualTo(decision);
        }
    }

    @Test
    void aBoundedDecisionStatesTheLemmasUpperBound() {
        MixedLogitPolicy narrow = new MixedLogitPolicy(MODEL, 0.01);
        for (int i = 0; i < 50; i++) {
            Decision decision =
                    MixedLogitLoggingPolicy.bounding(narrow).decide(X, EventRandom.of("e-" + i));
            double upper = narrow.bounds(X, decision.action()).upper();
            assertThat(decision.kind()).isEqualTo(PropensityKind.UPPER_BOUND);
            assertThat(decision.propensity()).isEqualTo(upper);
            assertThat(decision.distribution()).isEmpty();
            Decision floored =
                    MixedLogitLoggingPolicy.bounding(narrow)
                            .withFloor(0.2)
                            .decide(X, EventRandom.of("e-" + i));
            assertThat(floored.propensity())
                    .isCloseTo(
                            0.8 * narrow.bounds(X, floored.action()).upper() + 0.05, within(1e-15));
        }
    }

    @Test
    void anActionThatNoSampleFoundIsLoggedWithTheUpperBound() {
        // Scores 4 standard deviations apart, of size 1e5: two samples almost never favour action
        // 1.
        DenseModel apart = new DenseModel(new float[][] {{0f}, {-4e5f}}, new float[2]);
        MixedLogitLoggingPolicy logging =
                MixedLogitLoggingPolicy.estimating(new MixedLogitPolicy(apart, 1e10), 2);
        DenseVector x = DenseVector.of(1f);
        int rare = 0;
        EventRandom random = new EventRandom(11);
        for (int i = 0; i < 20_000; i++) {
            Decision decision = logging.decide(x, random);
            if (decision.action() == 1) {
                rare++;
                assertThat(decision.kind()).isEqualTo(PropensityKind.UPPER_BOUND);
                assertThat(decision.propensity()).isEqualTo(1.0);
            }
        }
        assertThat(rare).isPositive(); // about 47 expected
    }

    @Test
    void refusesWhatDoesNotFit() {
        assertThatThrownBy(() -> MixedLogitLoggingPolicy.estimating(POLICY, 1))
                .hasMessage("samples must be at least 2, got 1");
        assertThatThrownBy(() -> MixedLogitLoggingPolicy.bounding(POLICY).withFloor(1.5))
                .hasMessage("epsilon must be in [0, 1], got 1.5");
        assertThatThrownBy(
                        () ->
                                MixedLogitLoggingPolicy.bounding(POLICY)
                                        .decide(X, AllowedActions.all(3), new EventRandom(1)))
                .hasMessage("allowed actions are out of 3, but the policy has 4 to choose from");
    }
}
