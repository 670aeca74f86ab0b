package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ScoreNoiseLawTest {

    private static final int DRAWS = 20_000;
    private static final double DEVIATION = 0.7;

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    /** Some rows, of which the last is twice the first: its covariance is always singular. */
    private static ActionFeatures drawSingular(long seed) {
        EventRandom random = new EventRandom(seed);
        ActionFeatures some = DrawnModels.rows(1 + random.nextInt(6), random);
        int n = some.actions();
        int[] rowStarts = new int[n + 2];
        int[] indices = new int[4 * n + 4];
        float[] values = new float[4 * n + 4];
        for (int i = 0; i < indices.length; i++) {
            int from = i < 4 * n ? i : i - 4 * n;
            indices[i] = some.index(from);
            values[i] = i < 4 * n ? some.value(from) : 2f * some.value(from);
            rowStarts[i / 4 + 1] = i + 1;
        }
        return ActionFeatures.of(DrawnModels.BITS, rowStarts, indices, values);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void bothNoisesOfHashedFeaturesHaveTheirCovariance(long seed) {
        ActionFeatures phi = drawSingular(seed);
        assertCovariance(new CovarianceNoise(phi, DEVIATION), phi, seed);
        assertCovariance(new WeightNoise(phi, DEVIATION), phi, seed);
    }

    private static void assertCovariance(ScoreNoise noise, ActionFeatures phi, long seed) {
        int n = phi.actions();
        double[][] sums = new double[n][n];
        EventRandom random = new EventRandom(seed);
        for (int i = 0; i < DRAWS; i++) {
            double[] scores = new double[n];
            noise.addTo(scores, random);
            for (int a = 0; a < n; a++) {
                for (int b = 0; b < n; b++) {
                    sums[a][b] += scores[a] * scores[b];
                }
            }
        }
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                double expected = covariance(phi, a, b);
                double variances = covariance(phi, a, a) * covariance(phi, b, b);
                // Var(z_a z_b) = v_a v_b + cov²; five standard errors over hundreds of entries.
                double error = Math.sqrt((variances + expected * expected) / DRAWS);
                assertThat(sums[a][b] / DRAWS)
                        .as("%s, seed %d", noise.getClass().getSimpleName(), seed)
                        .isCloseTo(expected, within(5.0 * error));
            }
        }
    }

    private static double covariance(ActionFeatures phi, int a, int b) {
        float[] one = phi.row(a).toArray();
        float[] other = phi.row(b).toArray();
        double sum = 0.0;
        for (int j = 0; j < one.length; j++) {
            sum += (double) one[j] * other[j];
        }
        return DEVIATION * DEVIATION * sum;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void dependentActionsShareTheirNoise(long seed) {
        ActionFeatures phi = drawSingular(seed);
        CovarianceNoise noise = new CovarianceNoise(phi, DEVIATION);
        double[] scores = new double[phi.actions()];
        noise.addTo(scores, new EventRandom(seed));
        double largest = Math.sqrt(phi.maxSquaredNorm());
        assertThat(scores[scores.length - 1]).isCloseTo(2.0 * scores[0], within(1e-6 * largest));
    }

    /** The difference of their scores is the noise of one feature, of which this is the value. */
    @ParameterizedTest
    @ValueSource(floats = {1e-1f, 1e-3f, 1e-6f})
    void actionsThatHardlyDifferStillHaveALittleNoiseOfTheirOwn(float difference) {
        ActionFeatures phi =
                ActionFeatures.of(
                        2,
                        new int[] {0, 1, 3},
                        new int[] {0, 0, 1},
                        new float[] {1.0f, 1.0f, difference});
        CovarianceNoise noise = new CovarianceNoise(phi, DEVIATION);
        EventRandom random = new EventRandom(3);
        double squares = 0.0;
        for (int i = 0; i < DRAWS; i++) {
            double[] scores = new double[2];
            noise.addTo(scores, random);
            squares += (scores[1] - scores[0]) * (scores[1] - scores[0]);
        }
        // Five standard errors of a standard deviation, 1/√(2n) each, and at 1e-6 the jitter.
        double expected = DEVIATION * difference;
        assertThat(Math.sqrt(squares / DRAWS)).isBetween(0.975 * expected, 1.045 * expected);
    }

    /** Many copies of one action: the matrix is positive definite only because of the jitter. */
    @Test
    void aCovarianceOfLowRankIsFactoredToo() {
        int n = 200;
        EventRandom random = new EventRandom(5);
        ActionFeatures few = DrawnModels.rows(3, random);
        int[] rowStarts = new int[n + 1];
        int[] indices = new int[4 * n];
        float[] values = new float[4 * n];
        for (int i = 0; i < indices.length; i++) {
            rowStarts[i / 4 + 1] = i + 1;
            indices[i] = few.index(i % 12);
            values[i] = few.value(i % 12);
        }
        ActionFeatures phi = ActionFeatures.of(DrawnModels.BITS, rowStarts, indices, values);
        CovarianceNoise noise = new CovarianceNoise(phi, DEVIATION);
        double largest = Math.sqrt(phi.maxSquaredNorm());
        for (int draw = 0; draw < 100; draw++) {
            double[] scores = new double[n];
            noise.addTo(scores, random);
            for (int a = 3; a < n; a++) {
                assertThat(scores[a]).isCloseTo(scores[a % 3], within(1e-6 * largest));
            }
        }
    }

    @Test
    void actionsWithoutFeaturesHaveNoNoise() {
        ActionFeatures none = ActionFeatures.of(3, new int[4], new int[0], new float[0]);
        CovarianceNoise noise = new CovarianceNoise(none, DEVIATION);
        double[] scores = {1.0, 2.0, 3.0};
        noise.addTo(scores, new EventRandom(1));
        new WeightNoise(none, DEVIATION).addTo(scores, new EventRandom(1));
        assertThat(scores).containsExactly(1.0, 2.0, 3.0);
    }

    @Test
    void aRequestOfManyActionsIsDrawnThroughItsWeights() {
        EventRandom random = new EventRandom(9);
        HashedModel model = DrawnModels.hashed(1.0, random);
        ActionFeatures phi = DrawnModels.rows(1000, random);
        MixedLogit policy = new MixedLogit(model, 1.0);
        int action = MixedLogits.draw(policy, phi, EventRandom.named("e"));
        double[] means = new double[1000];
        model.scores(phi, means);
        AllowedActions all = AllowedActions.ALL;
        assertThat(action)
                .isEqualTo(
                        new MixedLogitScores(means, new WeightNoise(phi, 1.0), all)
                                .draw(EventRandom.named("e")));
    }
}
