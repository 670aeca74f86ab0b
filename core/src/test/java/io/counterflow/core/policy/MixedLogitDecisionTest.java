package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Decisions and propensities of policies with the rule of a mixed logit. */
final class MixedLogitDecisionTest {

    private static final int ACTIONS = 4;
    private static final double VARIANCE = 1.5;
    private static final DenseModel MODEL = DrawnModels.dense(ACTIONS, 3, 1.0, 21);
    private static final DenseVector X = DenseVector.of(0.6f, -0.8f, 0.3f);

    static DecisionRule estimating(double beta, double floor, double variance, int draws) {
        return new DecisionRule(
                PolicyKind.MIXED_LOGIT,
                beta,
                floor,
                OptionalDouble.of(variance),
                PropensityKind.ESTIMATED,
                draws);
    }

    private static DecisionRule bounding(double floor, double variance) {
        return new DecisionRule(
                PolicyKind.MIXED_LOGIT,
                1.0,
                floor,
                OptionalDouble.of(variance),
                PropensityKind.UPPER_BOUND,
                2);
    }

    @Test
    void drawsAmongAllowedActionsWithAFloorComeAsOftenAsEstimated() {
        assertDrawsAsEstimated(MODEL, X);
        EventRandom random = new EventRandom(8);
        HashedModel hashed = DrawnModels.hashed(1.0, random);
        ActionFeatures phi = DrawnModels.rows(ACTIONS, random);
        assertDrawsAsEstimated(hashed, phi);
    }

    private static void assertDrawsAsEstimated(LinearModel model, Features x) {
        AllowedActions allowed = AllowedActions.allBut(1);
        Policy policy = new Policy(model, estimating(1.7, 0.3, VARIANCE, 2));
        EventRandom random = new EventRandom(4);
        int[] counts = new int[ACTIONS];
        for (int i = 0; i < 20_000; i++) {
            counts[policy.decide(x, allowed, random).action()]++;
        }
        double[] estimates =
                new Policy(model, estimating(1.7, 0.3, VARIANCE, 100_000))
                        .decide(x, allowed, new EventRandom(5))
                        .distribution();
        assertThat(estimates[1]).isZero();
        for (int a : new int[] {0, 2, 3}) {
            assertThat(estimates[a]).isGreaterThanOrEqualTo(0.1);
        }
        ChiSquare.assertFits(counts, estimates, model + " without action 1");
    }

    @Test
    void excludingIsTheMixedLogitOfTheOtherActionsAlone() {
        DenseModel others =
                new DenseModel(
                        new float[][] {MODEL.weights(0), MODEL.weights(2), MODEL.weights(3)},
                        new float[] {MODEL.biases()[0], MODEL.biases()[2], MODEL.biases()[3]});
        MixedLogits.Estimate expected =
                MixedLogits.propensity(
                        new MixedLogit(others, VARIANCE), X, 1, 100_000, new EventRandom(6));
        double[] distribution =
                new Policy(MODEL, estimating(1.0, 0.0, VARIANCE, 100_000))
                        .decide(X, AllowedActions.allBut(1), new EventRandom(7))
                        .distribution();
        assertThat(distribution[1]).isZero();
        assertThat(distribution[2])
                .isCloseTo(
                        expected.value(), within(4.0 * Math.sqrt(2.0) * expected.standardError()));
    }

    @Test
    void anEstimatedDecisionSaysSoAndIsTheSameAgain() {
        Policy policy = new Policy(MODEL, estimating(1.0, 0.0, VARIANCE, 50));
        for (int i = 0; i < 50; i++) {
            EventRandom random = EventRandom.named("e-" + i);
            Decision decision = policy.decide(X, AllowedActions.ALL, random);
            double[] distribution = decision.distribution();
            assertThat(decision.kind()).isEqualTo(PropensityKind.ESTIMATED);
            assertThat(decision.propensity()).isEqualTo(distribution[decision.action()]);
            double sum = distribution[0] + distribution[1] + distribution[2] + distribution[3];
            assertThat(sum).isCloseTo(1.0, within(1e-14));
            assertThat(policy.decide(X, AllowedActions.ALL, EventRandom.named("e-" + i)))
                    .isEqualTo(decision);
        }
    }

    @Test
    void anInverseTemperatureMultipliesWeightsAndNoiseAlike() {
        Policy byRule = new Policy(MODEL, estimating(2.0, 0.1, 0.5, 64));
        Policy byHand = new Policy(MODEL.scaled(2.0), estimating(1.0, 0.1, 4.0 * 0.5, 64));
        for (int event = 0; event < 50; event++) {
            String id = "e-" + event;
            assertThat(byRule.decide(X, AllowedActions.ALL, EventRandom.named(id)))
                    .isEqualTo(byHand.decide(X, AllowedActions.ALL, EventRandom.named(id)));
        }
    }

    @Test
    void atInverseTemperatureZeroEveryActionIsAsProbable() {
        Decision drawn =
                new Policy(MODEL, estimating(0.0, 0.0, 5.0, 2))
                        .decide(X, AllowedActions.ALL, EventRandom.named("e"));
        assertThat(drawn.distribution()).containsOnly(0.25);
    }

    @Test
    void aBoundedDecisionStatesTheLemmasUpperBound() {
        MixedLogit narrow = new MixedLogit(MODEL, 0.01);
        for (int i = 0; i < 50; i++) {
            Decision decision =
                    new Policy(MODEL, bounding(0.0, 0.01))
                            .decide(X, AllowedActions.ALL, EventRandom.named("e-" + i));
            double upper = MixedLogits.bounds(narrow, X, decision.action()).upper();
            assertThat(decision.kind()).isEqualTo(PropensityKind.UPPER_BOUND);
            assertThat(decision.propensity()).isEqualTo(upper);
            assertThat(decision.distribution()).isEmpty();
            Decision floored =
                    new Policy(MODEL, bounding(0.2, 0.01))
                            .decide(X, AllowedActions.ALL, EventRandom.named("e-" + i));
            assertThat(floored.propensity())
                    .isCloseTo(
                            0.8 * MixedLogits.bounds(narrow, X, floored.action()).upper() + 0.05,
                            within(1e-15));
        }
    }

    @Test
    void aBoundAmongAllowedActionsIsThatOfTheirSoftmax() {
        AllowedActions allowed = AllowedActions.allBut(0, 3);
        double[] softmax = DrawnModels.probabilities(Policy.softmax(MODEL), X, allowed);
        double norm = Math.sqrt(X.squaredNorm());
        for (int i = 0; i < 20; i++) {
            Decision decision =
                    new Policy(MODEL, bounding(0.2, 0.01))
                            .decide(X, allowed, EventRandom.named("e-" + i));
            double upper =
                    Math.min(
                            1.0,
                            softmax[decision.action()] * StrictMath.exp(2.0 * 0.01 * norm * norm));
            assertThat(decision.action()).isIn(1, 2);
            assertThat(decision.propensity()).isCloseTo(0.8 * upper + 0.1, within(1e-12));
        }
    }

    @Test
    void anActionThatNoSampleFoundIsLoggedWithTheUpperBound() {
        // Scores 4 standard deviations apart, of size 1e5: two samples almost never favour action
        // 1.
        DenseModel apart = new DenseModel(new float[][] {{0f}, {-4e5f}}, new float[2]);
        Policy policy = new Policy(apart, estimating(1.0, 0.0, 1e10, 2));
        DenseVector x = DenseVector.of(1f);
        int rare = 0;
        EventRandom random = new EventRandom(11);
        for (int i = 0; i < 20_000; i++) {
            Decision decision = policy.decide(x, AllowedActions.ALL, random);
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
        Policy policy = new Policy(MODEL, bounding(0.0, VARIANCE));
        assertThatThrownBy(() -> policy.decide(X, AllowedActions.allBut(4), new EventRandom(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("excludedActions must be below 4, the number of actions, got 4");
    }
}
