package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class ServedBoundTest {

    private static final DenseModel ZERO = DenseModel.zeros(2, 1);

    /** Scores x and −x, so that π of the first action is 1/(1 + e^−2x). */
    private static final DenseModel LEARNED =
            new DenseModel(new float[][] {{1.0f}, {-1.0f}}, new float[2]);

    /** 1,000 examples with x = 1, every second one rewarded; p = ½ throughout. */
    private static ExampleLog log() {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 1_000; i++) {
            log.add(new LoggedExample(DenseVector.of(1f), i % 2, 0.5, 1 - i % 2, 0));
        }
        return log;
    }

    private static DecisionRule mixedLogit(double beta, double floor, double variance) {
        return new DecisionRule(
                PolicyKind.MIXED_LOGIT,
                beta,
                floor,
                OptionalDouble.of(variance),
                PropensityKind.UPPER_BOUND,
                100);
    }

    @Test
    void aSoftmaxWorkedOutByHand() {
        ServedBound served = ServedBound.of(log(), Policy.softmax(LEARNED), ZERO, 0.05);
        double variance = served.variance();
        // z − z' = 2 and d² = 2‖x‖² = 2: s = 1/(1 + e^(−2 + 2σ²)); the weight is s/½.
        double s = 1.0 / (1.0 + StrictMath.exp(-2.0 + 2.0 * variance));
        double lambda = served.bound().smoothing();
        assertThat(served.handicapped()).isCloseTo(0.5 * 2.0 * s, within(1e-9));
        assertThat(served.bound().logSum())
                .isCloseTo(500 * StrictMath.log1p(lambda * 2.0 * s), within(1e-6));
        // ‖μ‖² = 2 and D = 2: 1/σ₀² + ln(σ₀²/σ²) + σ²/σ₀² − 1
        double ratio = variance / served.priorVariance();
        assertThat(served.bound().divergence())
                .isCloseTo(
                        1.0 / served.priorVariance() - StrictMath.log(ratio) + ratio - 1.0,
                        within(1e-9));
        // 11 λ and 27 variances: half of δ for equal ones, half for the 27 · 26/2 other pairs
        double combinations = ratio == 1.0 ? 2 * 27 * 11 : 27 * 26 * 11;
        assertThat(served.bound().confidenceTerm())
                .isCloseTo(StrictMath.log(combinations / 0.05), within(1e-12));
        double exponent =
                (served.bound().logSum()
                                - served.bound().divergence()
                                - served.bound().confidenceTerm())
                        / 1_000;
        assertThat(served.value())
                .isCloseTo((StrictMath.exp(exponent) - 1.0) / lambda, within(1e-12))
                .isBetween(0.6, 0.5 / (0.5 + 0.5 * StrictMath.exp(-2.0)));
    }

    @Test
    void temperatureAndFloorAreThoseOfTheServedPolicy() {
        Policy policy = new Policy(LEARNED, DecisionRule.softmax(2.0, 0.2));
        ServedBound served = ServedBound.of(log(), policy, ZERO, 0.05);
        // β doubles the scores: z − z' = 4, ‖βμ‖² = 8; t = (0.8 s + 0.2/2)/½
        double s = 1.0 / (1.0 + StrictMath.exp(-4.0 + 2.0 * served.variance()));
        assertThat(served.handicapped()).isCloseTo(0.5 * 2.0 * (0.8 * s + 0.1), within(1e-9));
        double ratio = served.variance() / served.priorVariance();
        assertThat(served.bound().divergence())
                .isCloseTo(
                        4.0 / served.priorVariance() - StrictMath.log(ratio) + ratio - 1.0,
                        within(1e-9));
        Policy doubled = new Policy(LEARNED.scaled(2.0), DecisionRule.softmax(1.0, 0.2));
        assertThat(ServedBound.of(log(), doubled, ZERO, 0.05)).isEqualTo(served);
    }

    @Test
    void aMixedLogitIsBoundedAtItsOwnVarianceWithHalfTheHandicap() {
        Policy policy = new Policy(LEARNED, mixedLogit(2.0, 0.0, 0.05));
        ServedBound served = ServedBound.of(log(), policy, ZERO, 0.05);
        // β²σ² = 0.2; the handicap is σ²d²/2 = 0.2
        assertThat(served.variance()).isCloseTo(0.2, within(1e-12));
        double s = 1.0 / (1.0 + StrictMath.exp(-4.0 + 0.2));
        assertThat(served.handicapped()).isCloseTo(0.5 * 2.0 * s, within(1e-9));
        assertThat(served.bound().confidenceTerm())
                .isCloseTo(StrictMath.log(21 * 11 / 0.05), within(1e-12));
        assertThat(served.priorVariance() / served.variance()).isGreaterThanOrEqualTo(1.0);
    }

    @Test
    void biasesThatDifferAreWeightsOfAConstantFeature() {
        DenseModel biased =
                new DenseModel(new float[][] {{1.0f}, {-1.0f}}, new float[] {0.5f, -0.5f});
        ServedBound served = ServedBound.of(log(), Policy.softmax(biased), ZERO, 0.05);
        // z − z' = 3, d² = 2 + 2, ‖μ‖² = 2.5, D = 4
        double s = 1.0 / (1.0 + StrictMath.exp(-3.0 + 4.0 * served.variance()));
        assertThat(served.handicapped()).isCloseTo(0.5 * 2.0 * s, within(1e-9));
        double ratio = served.variance() / served.priorVariance();
        assertThat(served.bound().divergence())
                .isCloseTo(
                        1.25 / served.priorVariance() + 2.0 * (ratio - 1.0 - StrictMath.log(ratio)),
                        within(1e-9));
        // The same biases on both sides are constants.
        DenseModel prior = new DenseModel(new float[2][1], new float[] {0.5f, -0.5f});
        ServedBound constant = ServedBound.of(log(), Policy.softmax(biased), prior, 0.05);
        s = 1.0 / (1.0 + StrictMath.exp(-3.0 + 2.0 * constant.variance()));
        assertThat(constant.handicapped()).isCloseTo(0.5 * 2.0 * s, within(1e-9));
        // A mixed logit does not draw its biases: their handicap is 2σ², that of the weights σ².
        Policy mixed = new Policy(biased, mixedLogit(1.0, 0.0, 0.1));
        s = 1.0 / (1.0 + StrictMath.exp(-3.0 + 0.1 + 0.2));
        assertThat(ServedBound.of(log(), mixed, ZERO, 0.05).handicapped())
                .isCloseTo(0.5 * 2.0 * s, within(1e-9));
    }

    @Test
    void theDistanceOfHashedFeaturesIsTheLargestToAnAllowedAction() {
        // φ(0) = (1, 1, 0, 0), φ(1) = (1, 0, 2, 0), φ(2) = (0, 0, 0, 9); index 1 occurs twice
        ActionFeatures phi =
                ActionFeatures.of(
                        2,
                        new int[] {0, 3, 5, 6},
                        new int[] {1, 0, 1, 0, 2, 3},
                        new float[] {0.5f, 1f, 0.5f, 1f, 2f, 9f});
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 100; i++) {
            log.add(new LoggedExample(phi, AllowedActions.allBut(2), 0, 0.5, 1.0, 0));
        }
        HashedModel zeros = HashedModel.zeros(2);
        ServedBound served = ServedBound.of(log, Policy.softmax(zeros), zeros, 0.05);
        // ‖φ(1) − φ(0)‖² = 0 + 1 + 4 = 5; s = 1/(1 + e^5σ²), weight s/½
        double s = 1.0 / (1.0 + StrictMath.exp(5.0 * served.variance()));
        assertThat(served.handicapped()).isCloseTo(2.0 * s, within(1e-9));
        assertThat(served.bound().divergence()).isZero();
        assertThat(served.value()).isGreaterThan(0.5);
    }

    @Test
    void aWeightThatNoExampleTouchesCostsNothing() {
        ActionFeatures small =
                ActionFeatures.of(1, new int[] {0, 1, 2}, new int[] {0, 1}, new float[] {1f, 1f});
        ActionFeatures large =
                ActionFeatures.of(20, new int[] {0, 1, 2}, new int[] {0, 1}, new float[] {1f, 1f});
        float[] weights = new float[1 << 20];
        weights[0] = 1.0f;
        weights[1] = -1.0f;
        double few = hashed(small, new HashedModel(1, new float[] {1.0f, -1.0f})).value();
        ServedBound many = hashed(large, new HashedModel(20, weights));
        assertThat(many.variance()).isEqualTo(many.priorVariance());
        assertThat(many.bound().divergence())
                .isCloseTo(1.0 / many.priorVariance(), within(1e-9)); // no number of parameters
        assertThat(many.value()).isGreaterThan(0.9 * few).isPositive();
    }

    private static ServedBound hashed(ActionFeatures phi, HashedModel model) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 1_000; i++) {
            log.add(new LoggedExample(phi, i % 2, 0.5, 1 - i % 2, 0));
        }
        return ServedBound.of(log, Policy.softmax(model), model.zeros(), 0.05);
    }

    /** π ln(1 + λu) ≤ ln(1 + λπu): what LS-LPR maximises is below the bound's exponent. */
    @Test
    void lsLprMaximisesALowerBoundOnTheExponent() {
        double smoothing = 0.25;
        double priorVariance = 0.5;
        DenseModel prior = SimulatedLoop.randomModel(3, 2, 0.3, 1);
        DenseModel model = SimulatedLoop.randomModel(3, 2, 1.0, 4);
        ExampleLog log =
                new SimulatedLoop(3, 2, 2).log(Policy.softmax(prior), 200, new EventRandom(3));
        double strength = Objectives.lsLprStrength(priorVariance, smoothing, log.size());
        double[] probabilities = new double[3];
        double[] logProbabilities = new double[log.size()];
        double exponent = -model.squaredDistance(prior) / (2.0 * priorVariance);
        for (int i = 0; i < log.size(); i++) {
            Policy.softmax(model).probabilities(log.features(i), log.allowed(i), probabilities);
            double probability = probabilities[log.action(i)];
            logProbabilities[i] = StrictMath.log(probability);
            exponent +=
                    StrictMath.log1p(smoothing * probability * log.reward(i) / log.propensity(i));
        }
        double objective =
                Objectives.lsLpr(smoothing, strength).dataTerm(log, logProbabilities)
                        + strength * model.squaredDistance(prior);
        assertThat(-objective * smoothing * log.size())
                .isLessThanOrEqualTo(exponent)
                .isCloseTo(exponent, within(0.4 * Math.abs(exponent)));
    }

    @Test
    void extremesAreHarmless() {
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1e6f), 0, 1e-300, 1.0, 0));
        log.add(new LoggedExample(DenseVector.of(0f), 1, 1.0, 0.0, 0));
        DenseModel far = new DenseModel(new float[][] {{1e9f}, {-1e9f}}, new float[2]);
        assertThat(ServedBound.of(log, Policy.softmax(far), ZERO, 0.05).value()).isZero();
        // Nobody was rewarded: the value may be 0.
        ExampleLog unrewarded = new ExampleLog();
        unrewarded.add(new LoggedExample(DenseVector.of(1f), 0, 0.5, 0.0, 0));
        assertThat(ServedBound.of(unrewarded, Policy.softmax(LEARNED), ZERO, 0.05).value())
                .isZero();
        Policy uniform = new Policy(LEARNED, DecisionRule.softmax(0.0, 0.0));
        assertThat(ServedBound.of(log(), uniform, ZERO, 0.05).bound().divergence()).isZero();
        Policy still = new Policy(LEARNED, mixedLogit(0.0, 0.0, 0.1));
        assertThat(ServedBound.of(log(), still, ZERO, 0.05).value()).isBetween(0.4, 0.5);
        assertThatThrownBy(
                        () -> ServedBound.of(new ExampleLog(), Policy.softmax(LEARNED), ZERO, 0.05))
                .hasMessage("the log has no examples");
    }
}
