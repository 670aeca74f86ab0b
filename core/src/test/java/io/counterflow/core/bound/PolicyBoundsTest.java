package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class PolicyBoundsTest {

    private static final DenseModel LOGGING = SimulatedLoop.randomModel(3, 2, 0.3, 1);

    private static ExampleLog log(int n) {
        return new SimulatedLoop(3, 2, 4).log(new SoftmaxPolicy(LOGGING), n, new EventRandom(2));
    }

    private static BoundSettings settings(OptionalDouble variance, OptionalDouble priorStrength) {
        return new BoundSettings(0.1, false, 0.05, 1.0, variance, priorStrength);
    }

    @Test
    void thePartsAreThoseOfASmallLogWorkedOutByHand() {
        // Two actions, uniform policy, prior equal to it but for one weight of 0.5: ‖μ−μ0‖² = 0.25.
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(3.0f), 0, 0.5, 1.0, 0));
        log.add(new LoggedExample(DenseVector.of(4.0f), 1, 0.05, 1.0, 0));
        DenseModel policy = DenseModel.zeros(2, 1);
        DenseModel prior = new DenseModel(new float[][] {{0.5f}, {0.0f}}, new float[2]);
        PolicyBounds bounds =
                PolicyBounds.of(
                        log,
                        policy,
                        prior,
                        settings(OptionalDouble.of(0.01), OptionalDouble.empty()));
        // (0.5/0.5 + 0.5/max(0.05, 0.1))/2 = 3
        assertThat(bounds.truncatedIps()).isCloseTo(3.0, within(1e-12));
        assertThat(bounds.gap()).isEqualTo(new PosteriorGap(0.25, 2, 4.0, 1.0, 0.01));
        // 0.25/2 + (2/2)(ln 100 + 0.01 − 1) = 3.740170185988091
        assertThat(bounds.divergence()).isCloseTo(3.740170185988091, within(1e-12));
        // 1 − exp(−0.01·16/2)·3 = −1.7693490391599063
        assertThat(bounds.theorem1().empiricalRisk()).isCloseTo(-1.7693490391599063, within(1e-9));
        // 0.25 + 2 ln 100
        assertThat(bounds.theorem3().divergence()).isCloseTo(9.460340371976182, within(1e-12));
        assertThat(bounds.theorem4()).isEmpty();
        assertThat(bounds.paperBound()).isEqualTo(bounds.theorem3());
    }

    @Test
    void exactDivergenceMakesTheoremOneTighterThanTheoremThree() {
        PolicyBounds bounds =
                PolicyBounds.of(
                        log(2_000),
                        SimulatedLoop.randomModel(3, 2, 0.5, 8),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        assertThat(bounds.theorem1().total()).isLessThan(bounds.theorem3().total());
        assertThat(bounds.theorem1().total()).isLessThan(bounds.theorem2().total());
    }

    @Test
    void theLogSmoothedBoundChoosesItsVarianceUnlessOneIsAskedFor() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        ExampleLog log = log(2_000);
        PolicyBounds free =
                PolicyBounds.of(
                        log,
                        policy,
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        assertThat(free.logSmoothedVariance()).isLessThan(1.0);
        for (double variance : new double[] {1.0, 0.25, 0.03125, 1e-4}) {
            PolicyBounds asked =
                    PolicyBounds.of(
                            log,
                            policy,
                            LOGGING,
                            settings(OptionalDouble.of(variance), OptionalDouble.empty()));
            assertThat(asked.logSmoothedVariance()).isEqualTo(variance);
            assertThat(asked.logSmoothed().total())
                    .as("variance %s against %s", variance, free.logSmoothedVariance())
                    .isLessThanOrEqualTo(free.logSmoothed().total());
        }
    }

    @Test
    void aPriorLearnedFromTheLogPaysForIt() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        PolicyBounds fixed =
                PolicyBounds.of(
                        log(2_000),
                        policy,
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        PolicyBounds learned =
                PolicyBounds.of(
                        log(2_000),
                        policy,
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.of(0.01)));
        assertThat(learned.paperBound()).isEqualTo(learned.theorem4().orElseThrow());
        assertThat(learned.paperBound().total()).isGreaterThan(fixed.paperBound().total());
        assertThat(learned.logSmoothed().total()).isLessThan(fixed.logSmoothed().total());
        assertThat(learned.gap().dimension()).isEqualTo(3 * 2 + 3);
        // Half of delta is for the prior, in every bound that uses it.
        assertThat(learned.theorem1().confidenceTerm())
                .isCloseTo(StrictMath.log(2_000 / 0.025), within(1e-12));
        assertThat(learned.theorem2().confidenceTerm())
                .isCloseTo(StrictMath.log(2.0 * 2_000 / (0.025 * 0.1)), within(1e-12));
        assertThat(learned.logSmoothed().confidenceTerm())
                .isCloseTo(StrictMath.log(11 / 0.025), within(1e-12));
        assertThat(learned.theorem1().total())
                .isCloseTo(learned.paperBound().total(), within(1e-9));
    }

    @Test
    void aFloorFromTheDataPutsTheoremsThreeAndFourOnTopOfTheoremTwo() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        BoundSettings settings =
                new BoundSettings(
                        0.1, true, 0.05, 1.0, OptionalDouble.empty(), OptionalDouble.of(0.01));
        PolicyBounds bounds = PolicyBounds.of(log(2_000), policy, LOGGING, settings);
        assertThat(bounds.paperBound().total())
                .isCloseTo(bounds.theorem2().total(), within(1e-9))
                .isGreaterThan(bounds.theorem1().total());
        assertThat(bounds.theorem3().confidenceTerm())
                .isCloseTo(2.0 * StrictMath.log(2.0 * 2_000 / (0.05 * 0.1)), within(1e-12));
    }

    @Test
    void learnedBiasesAreWeightsEvenWherePolicyAndPriorAgree() {
        PolicyBounds learned =
                PolicyBounds.of(
                        log(50),
                        LOGGING,
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.of(0.01)));
        assertThat(learned.gap().dimension()).isEqualTo(9);
        assertThat(learned.gap().squaredDistance()).isZero();
    }

    @Test
    void oneExampleGivesVacuousBoundsAndNoneARefusal() {
        BoundSettings settings = settings(OptionalDouble.empty(), OptionalDouble.empty());
        PolicyBounds one = PolicyBounds.of(log(1), LOGGING, LOGGING, settings);
        assertThat(one.theorem1().vacuous()).isTrue();
        assertThat(one.theorem3().vacuous()).isTrue();
        assertThatThrownBy(() -> PolicyBounds.of(new ExampleLog(), LOGGING, LOGGING, settings))
                .hasMessage("the log has no examples");
    }

    @Test
    void theLikelihoodsGradientAgreesWithFiniteDifferences() {
        ExampleLog log = log(200);
        double lambda = 0.3;
        double h = 1e-3;
        double squared = 0.0;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j <= 2; j++) {
                double g =
                        (likelihood(moved(k, j, h), log, lambda)
                                        - likelihood(moved(k, j, -h), log, lambda))
                                / (2.0 * h);
                squared += g * g;
            }
        }
        assertThat(LikelihoodGradient.norm(LOGGING, log, lambda))
                .isCloseTo(Math.sqrt(squared), within(1e-3));
    }

    private static DenseModel moved(int k, int j, double by) {
        float[][] weights = {LOGGING.weights(0), LOGGING.weights(1), LOGGING.weights(2)};
        float[] biases = LOGGING.biases();
        if (j < 2) {
            weights[k][j] += (float) by;
        } else {
            biases[k] += (float) by;
        }
        return new DenseModel(weights, biases);
    }

    private static double likelihood(DenseModel model, ExampleLog log, double lambda) {
        double[] probabilities = new double[3];
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            new SoftmaxPolicy(model).probabilities(log.features(i), probabilities);
            sum -= StrictMath.log(probabilities[log.action(i)]);
        }
        return sum / log.size()
                + lambda
                        * (model.squaredDistance(model.zeros())
                                + model.squaredBiasDistance(model.zeros()));
    }

    @Test
    void theGradientOfSharedWeightsIsTheirsToo() {
        // One example, two actions, φ = (2, 0) and (0, 1), zero weights: π = ½, ½.
        // ∇ = ½φ(0) + ½φ(1) − φ(0) = (−1, ½): norm √1.25.
        ExampleLog log = new ExampleLog();
        ActionFeatures phi =
                new ActionFeatures(1, new int[] {0, 1, 2}, new int[] {0, 1}, new float[] {2, 1});
        log.add(new LoggedExample(phi, 0, 0.5, 1.0, 0));
        assertThat(LikelihoodGradient.norm(HashedModel.zeros(1), log, 0.1))
                .isCloseTo(Math.sqrt(1.25), within(1e-12));
    }
}
