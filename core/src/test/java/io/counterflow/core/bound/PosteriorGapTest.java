package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The distance between posterior and prior, and the divergences it gives. */
final class PosteriorGapTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    @Test
    void theExactKlIsThatOfGaussians() {
        PosteriorGap gap = new PosteriorGap(3.0, 5, 1.0, 2.0, 0.5);
        // 3/4 + 2.5 (ln 4 + 0.25 − 1) = 0.75 + 2.5 · 0.636294 = 2.340736
        assertThat(GaussianKl.exact(gap)).isCloseTo(2.340736, within(1e-6));
        // 3/4 + 2.5 ln 4 = 4.215736, and Γ is twice that
        assertThat(GaussianKl.upperBound(gap)).isCloseTo(4.215736, within(1e-6));
        assertThat(GaussianKl.gamma(gap)).isCloseTo(8.431472, within(1e-6));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theExactKlIsNeverNegativeNorAboveItsBound(long seed) {
        EventRandom random = new EventRandom(seed);
        double priorVariance = StrictMath.exp(40.0 * random.nextDouble() - 20.0);
        // close to the prior's variance in half of the cases, where rounding could matter
        double ratio = 1.0 - random.nextDouble() * (seed % 2 == 0 ? 1.0 : 1e-15);
        PosteriorGap gap =
                new PosteriorGap(0.0, 1_000_000, 1.0, priorVariance, priorVariance * ratio);
        assertThat(GaussianKl.exact(gap))
                .as("seed %d", seed)
                .isNotNegative()
                .isLessThanOrEqualTo(GaussianKl.upperBound(gap) + 1e-9);
    }

    @Test
    void theSamePolicyHasNoDivergence() {
        PosteriorGap gap = new PosteriorGap(0.0, 100, 1.0, 0.3, 0.3);
        assertThat(GaussianKl.exact(gap)).isZero();
        assertThat(GaussianKl.gamma(gap)).isZero();
    }

    @Test
    void equalBiasesAreConstantsOfTheHypotheses() {
        DenseModel policy = new DenseModel(new float[][] {{1, 2}, {3, 4}}, new float[] {5, 6});
        DenseModel prior = new DenseModel(new float[][] {{1, 0}, {3, 1}}, new float[] {5, 6});
        // 2² + 3² = 13 over 4 weights
        assertThat(PosteriorGap.between(policy, prior, 2.0, 1.0, 0.5))
                .isEqualTo(new PosteriorGap(13.0, 4, 2.0, 1.0, 0.5));
    }

    @Test
    void differentBiasesAreWeightsOfAConstantFeature() {
        DenseModel policy = new DenseModel(new float[][] {{1, 2}, {3, 4}}, new float[] {5, 6});
        DenseModel prior = new DenseModel(new float[][] {{1, 0}, {3, 1}}, new float[] {5, 7});
        // 13 + 1 over 4 + 2 parameters, and B² = 3 + 1
        PosteriorGap gap = PosteriorGap.between(policy, prior, Math.sqrt(3.0), 1.0, 0.5);
        assertThat(gap.squaredDistance()).isEqualTo(14.0);
        assertThat(gap.dimension()).isEqualTo(6);
        assertThat(gap.normBound()).isCloseTo(2.0, within(1e-15));
    }

    @Test
    void hashedModelsHaveNoBiases() {
        HashedModel policy = new HashedModel(2, new float[] {1, 2, 3, 4});
        assertThat(PosteriorGap.between(policy, policy.zeros(), 1.5, 1.0, 1.0))
                .isEqualTo(new PosteriorGap(30.0, 4, 1.5, 1.0, 1.0));
    }

    @Test
    void argumentsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> new PosteriorGap(-1.0, 1, 1.0, 1.0, 1.0))
                .hasMessage("squaredDistance must be finite and at least 0, got -1.0");
        assertThatThrownBy(() -> new PosteriorGap(1.0, 0, 1.0, 1.0, 1.0))
                .hasMessage("dimension must be at least 1, got 0");
        assertThatThrownBy(() -> new PosteriorGap(1.0, 1, Double.NaN, 1.0, 1.0))
                .hasMessage("normBound must be finite and at least 0, got NaN");
        assertThatThrownBy(() -> new PosteriorGap(1.0, 1, 1.0, 0.0, 1.0))
                .hasMessage("priorVariance must be finite and above 0, got 0.0");
        assertThatThrownBy(() -> new PosteriorGap(1.0, 1, 1.0, 1.0, 1.5))
                .hasMessage("variance must be in (0, priorVariance] = (0, 1.0], got 1.5");
    }

    /** Two actions in one dimension, where the mixed logit is one integral. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theMeanSoftmaxTimesItsFactorIsBelowTheMixedLogit(long seed) {
        EventRandom random = new EventRandom(seed);
        double mean = 3.0 * random.nextGaussian();
        double variance = 2.0 * random.nextDouble() + 1e-3;
        double x = random.nextGaussian();
        PosteriorGap gap = new PosteriorGap(0.0, 2, Math.abs(x), variance, variance);
        double softmax = 1.0 / (1.0 + Exponential.exp(-mean * x));
        double mixed = SmallLoop.logisticNormal(mean * x, 2.0 * variance * x * x);
        assertThat(gap.meanSoftmaxFactor() * softmax)
                .as("seed %d", seed)
                .isLessThanOrEqualTo(mixed + 1e-9);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theKlBetweenSoftmaxPoliciesIsWithinItsBound(long seed) {
        EventRandom random = new EventRandom(seed);
        DenseModel one = withoutBiases(SimulatedLoop.randomModel(3, 2, 1.0, seed));
        DenseModel other = withoutBiases(SimulatedLoop.randomModel(3, 2, 1.0, ~seed));
        DenseVector x =
                DenseVector.of((float) random.nextGaussian(), (float) random.nextGaussian());
        double[] p = new double[3];
        double[] q = new double[3];
        Policy.softmax(one).probabilities(x, AllowedActions.ALL, p);
        Policy.softmax(other).probabilities(x, AllowedActions.ALL, q);
        double kl = 0.0;
        for (int k = 0; k < 3; k++) {
            kl += p[k] * StrictMath.log(p[k] / q[k]);
        }
        double bound =
                SoftmaxDivergence.bound(Math.sqrt(x.squaredNorm()), one.squaredDistance(other));
        assertThat(kl).as("seed %d", seed).isLessThanOrEqualTo(bound);
    }

    @Test
    void theSoftmaxDivergenceBoundIsTwiceNormTimesDistance() {
        assertThat(SoftmaxDivergence.bound(3.0, 4.0)).isEqualTo(12.0);
        assertThatThrownBy(() -> SoftmaxDivergence.bound(1.0, Double.NaN))
                .hasMessage("squaredDistance must be finite and at least 0, got NaN");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noGradientOfTheLikelihoodIsLongerThanTheLipschitzConstant(long seed) {
        EventRandom random = new EventRandom(seed);
        int actions = 1 + random.nextInt(5);
        DenseVector[] phi = new DenseVector[actions];
        double[] scores = new double[actions];
        double norm = 0.0;
        for (int k = 0; k < actions; k++) {
            phi[k] = DenseVector.of((float) random.nextGaussian(), (float) random.nextGaussian());
            scores[k] = 5.0 * random.nextGaussian();
            norm = Math.max(norm, Math.sqrt(phi[k].squaredNorm()));
        }
        Softmax.inPlace(scores, actions);
        int action = random.nextInt(actions);
        double blockSum = 0.0;
        double[] shared = new double[2];
        for (int k = 0; k < actions; k++) {
            double c = scores[k] - (k == action ? 1.0 : 0.0);
            blockSum += c * c;
            shared[0] += c * phi[k].values()[0];
            shared[1] += c * phi[k].values()[1];
        }
        assertThat(norm * Math.sqrt(blockSum))
                .as("seed %d", seed)
                .isLessThanOrEqualTo(SoftmaxLipschitz.blockFeatures(norm));
        assertThat(Math.hypot(shared[0], shared[1]))
                .as("seed %d", seed)
                .isLessThanOrEqualTo(SoftmaxLipschitz.sharedFeatures(norm));
    }

    @Test
    void theLipschitzConstantsAreRootTwoAndTwoTimesTheNorm() {
        assertThat(SoftmaxLipschitz.blockFeatures(3.0)).isCloseTo(4.242641, within(1e-6));
        assertThat(SoftmaxLipschitz.sharedFeatures(3.0)).isEqualTo(6.0);
    }

    private static DenseModel withoutBiases(DenseModel model) {
        float[][] weights = new float[model.actions()][];
        for (int k = 0; k < weights.length; k++) {
            weights[k] = model.weights(k);
        }
        return new DenseModel(weights, new float[weights.length]);
    }
}
