package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyBoundsTest {

    private static final DenseModel LOGGING = SimulatedLoop.randomModel(3, 2, 0.3, 1);

    private static ExampleLog log(int n) {
        return new SimulatedLoop(3, 2, 4).log(Policy.softmax(LOGGING), n, new EventRandom(2));
    }

    private static BoundSettings settings(OptionalDouble variance, OptionalDouble priorStrength) {
        return new BoundSettings(
                0.1, false, 0.05, 1.0, variance, priorStrength, OptionalDouble.empty());
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
                        Policy.softmax(policy),
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
                        Policy.softmax(SimulatedLoop.randomModel(3, 2, 0.5, 8)),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        assertThat(bounds.theorem1().total()).isLessThan(bounds.theorem3().total());
        assertThat(bounds.theorem1().total()).isLessThan(bounds.theorem2().total());
    }

    @Test
    void aPriorLearnedFromTheLogGivesALooserBound() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        PolicyBounds fixed =
                PolicyBounds.of(
                        log(2_000),
                        Policy.softmax(policy),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        PolicyBounds learned =
                PolicyBounds.of(
                        log(2_000),
                        Policy.softmax(policy),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.of(0.01)));
        assertThat(learned.paperBound()).isEqualTo(learned.theorem4().orElseThrow());
        assertThat(learned.paperBound().total()).isGreaterThan(fixed.paperBound().total());
        assertThat(learned.gap().dimension()).isEqualTo(3 * 2 + 3);
        // Half of delta is for the prior, in every bound that uses it.
        assertThat(learned.theorem1().confidenceTerm())
                .isCloseTo(StrictMath.log(2_000 / 0.025), within(1e-12));
        assertThat(learned.theorem2().confidenceTerm())
                .isCloseTo(StrictMath.log(2.0 * 2_000 / (0.025 * 0.1)), within(1e-12));
        assertThat(learned.theorem1().total())
                .isCloseTo(learned.paperBound().total(), within(1e-9));
    }

    @Test
    void aFloorFromTheDataPutsTheoremsThreeAndFourOnTopOfTheoremTwo() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        BoundSettings settings =
                new BoundSettings(
                        0.1,
                        true,
                        0.05,
                        1.0,
                        OptionalDouble.empty(),
                        OptionalDouble.of(0.01),
                        OptionalDouble.empty());
        PolicyBounds bounds =
                PolicyBounds.of(log(2_000), Policy.softmax(policy), LOGGING, settings);
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
                        Policy.softmax(LOGGING),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.of(0.01)));
        assertThat(learned.gap().dimension()).isEqualTo(9);
        assertThat(learned.gap().squaredDistance()).isZero();
    }

    @Test
    void oneExampleGivesVacuousBoundsAndAnEmptyLogIsRefused() {
        BoundSettings settings = settings(OptionalDouble.empty(), OptionalDouble.empty());
        PolicyBounds one = PolicyBounds.of(log(1), Policy.softmax(LOGGING), LOGGING, settings);
        assertThat(one.theorem1().vacuous()).isTrue();
        assertThat(one.theorem3().vacuous()).isTrue();
        assertThatThrownBy(
                        () ->
                                PolicyBounds.of(
                                        new ExampleLog(),
                                        Policy.softmax(LOGGING),
                                        LOGGING,
                                        settings))
                .hasMessage("the log has no examples");
    }

    /** A log in which about half of the examples have an excluded action. */
    private static ExampleLog withExclusions(ExampleLog log) {
        EventRandom random = new EventRandom(3);
        ExampleLog restricted = new ExampleLog();
        for (int i = 0; i < log.size(); i++) {
            LoggedExample e = log.example(i);
            AllowedActions allowed =
                    random.nextInt(2) == 0
                            ? AllowedActions.ALL
                            : AllowedActions.allBut((e.action() + 1 + random.nextInt(2)) % 3);
            restricted.add(
                    new LoggedExample(
                            e.features(), allowed, e.action(), e.propensity(), e.reward(), 0));
        }
        return restricted;
    }

    /** β is a power of 2, so that scaling a model rounds nothing. */
    @ParameterizedTest
    @ValueSource(doubles = {0.25, 1.0, 4.0})
    void boundsAtAnInverseTemperatureAreThoseOfTheScaledModels(double beta) {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        ExampleLog log = withExclusions(log(500));
        BoundSettings fixed = settings(OptionalDouble.empty(), OptionalDouble.empty());
        BoundSettings learned = settings(OptionalDouble.empty(), OptionalDouble.of(0.01));
        for (BoundSettings settings : new BoundSettings[] {fixed, learned}) {
            assertThat(
                            PolicyBounds.of(
                                    log,
                                    new Policy(policy, DecisionRule.softmax(beta, 0.0)),
                                    LOGGING,
                                    settings))
                    .isEqualTo(
                            PolicyBounds.of(
                                    log,
                                    Policy.softmax(policy.scaled(beta)),
                                    LOGGING.scaled(beta),
                                    settings));
        }
        assertThat(bounds(log, policy, 2.0).truncatedIps())
                .isNotEqualTo(bounds(log, policy, 1.0).truncatedIps());
    }

    private static PolicyBounds bounds(ExampleLog log, DenseModel policy, double beta) {
        return PolicyBounds.of(
                log,
                new Policy(policy, DecisionRule.softmax(beta, 0.0)),
                LOGGING,
                settings(OptionalDouble.empty(), OptionalDouble.empty()));
    }

    @Test
    void aLearnedPriorNeedsAnEnforcedNormForTheServedPolicy() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        ExampleLog log = log(2_000);
        BoundSettings measured = settings(OptionalDouble.empty(), OptionalDouble.of(0.01));
        PolicyBounds without = PolicyBounds.of(log, Policy.softmax(policy), LOGGING, measured);
        assertThat(without.served()).isEmpty();
        double enforced = 2.0 * log.maxNorm();
        PolicyBounds with =
                PolicyBounds.of(
                        log,
                        Policy.softmax(policy),
                        LOGGING,
                        new BoundSettings(
                                0.1,
                                false,
                                0.05,
                                1.0,
                                OptionalDouble.empty(),
                                OptionalDouble.of(0.01),
                                OptionalDouble.of(enforced)));
        // A larger B makes the loss less smooth and the prior less certain.
        assertThat(with.theorem4().orElseThrow().divergence())
                .isGreaterThan(without.theorem4().orElseThrow().divergence());
        PolicyBounds fixed =
                PolicyBounds.of(
                        log,
                        Policy.softmax(policy),
                        LOGGING,
                        settings(OptionalDouble.empty(), OptionalDouble.empty()));
        assertThat(with.served().orElseThrow().value())
                .isLessThan(fixed.served().orElseThrow().value());
        assertThat(fixed.served().orElseThrow())
                .isEqualTo(ServedBound.of(log, Policy.softmax(policy), LOGGING, 0.05));
    }

    @Test
    void theTruncatedIpsIsThatOfTheSoftmaxAmongTheAllowedActions() {
        DenseModel policy = SimulatedLoop.randomModel(3, 2, 0.5, 8);
        ExampleLog log = withExclusions(log(300));
        double[] scores = new double[3];
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            policy.scores(log.features(i), scores);
            double total = 0.0;
            for (int a = 0; a < 3; a++) {
                total += log.allowed(i).contains(a) ? StrictMath.exp(2.0 * scores[a]) : 0.0;
            }
            double probability = StrictMath.exp(2.0 * scores[log.action(i)]) / total;
            sum += log.reward(i) * probability / Math.max(0.1, log.propensity(i));
        }
        assertThat(bounds(log, policy, 2.0).truncatedIps())
                .isCloseTo(sum / log.size(), within(1e-6))
                .isNotCloseTo(bounds(log(300), policy, 2.0).truncatedIps(), within(1e-2));
    }

    @Test
    void anExclusionThatTheModelDoesNotKnowIsRefused() {
        ExampleLog log = new ExampleLog();
        log.add(
                new LoggedExample(
                        DenseVector.of(1f, 1f), AllowedActions.allBut(3), 0, 0.5, 1.0, 0));
        assertThatThrownBy(() -> bounds(log, LOGGING, 1.0))
                .hasMessage("excludedActions must be below 3, the number of actions, got 3");
    }

    @Test
    void theLikelihoodsGradientAgreesWithFiniteDifferences() {
        assertGradient(log(200));
    }

    @Test
    void theLikelihoodsGradientIsThatAmongTheAllowedActions() {
        ExampleLog log = withExclusions(log(200));
        assertGradient(log);
        assertThat(LikelihoodGradient.norm(LOGGING, log, 0.3))
                .isNotCloseTo(LikelihoodGradient.norm(LOGGING, log(200), 0.3), within(1e-2));
    }

    private static void assertGradient(ExampleLog log) {
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
            Policy.softmax(model).probabilities(log.features(i), log.allowed(i), probabilities);
            sum -= StrictMath.log(probabilities[log.action(i)]);
        }
        return sum / log.size()
                + lambda
                        * (model.squaredDistance(model.zeros())
                                + model.squaredBiasDistance(model.zeros()));
    }

    @Test
    void theGradientOfSharedWeightsAgreesWithFiniteDifferences() {
        // One example, two actions, φ = (2, 0) and (0, 1), zero weights: π = ½, ½.
        // ∇ = ½φ(0) + ½φ(1) − φ(0) = (−1, ½): norm √1.25.
        ExampleLog log = new ExampleLog();
        ActionFeatures phi =
                ActionFeatures.of(1, new int[] {0, 1, 2}, new int[] {0, 1}, new float[] {2, 1});
        log.add(new LoggedExample(phi, 0, 0.5, 1.0, 0));
        assertThat(LikelihoodGradient.norm(HashedModel.zeros(1), log, 0.1))
                .isCloseTo(Math.sqrt(1.25), within(1e-12));
        // The only action that was allowed is certain: no gradient.
        ExampleLog certain = new ExampleLog();
        certain.add(new LoggedExample(phi, AllowedActions.allBut(1), 0, 1.0, 1.0, 0));
        assertThat(LikelihoodGradient.norm(HashedModel.zeros(1), certain, 0.1)).isZero();
    }
}
