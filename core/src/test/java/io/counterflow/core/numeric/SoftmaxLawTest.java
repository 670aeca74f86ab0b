package io.counterflow.core.numeric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SoftmaxLawTest {

    static long[] seeds() {
        long[] seeds = new long[200];
        for (int i = 0; i < seeds.length; i++) {
            seeds[i] = i;
        }
        return seeds;
    }

    private static double[] scores(EventRandom random) {
        double[] scores = new double[1 + random.nextInt(20)];
        double scale = StrictMath.pow(10.0, 4.0 * random.nextDouble() - 2.0);
        for (int k = 0; k < scores.length; k++) {
            scores[k] = scale * random.nextGaussian();
        }
        return scores;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void probabilitiesAreNotNegativeAndSumToOne(long seed) {
        double[] scores = scores(new EventRandom(seed));
        Softmax.inPlace(scores, scores.length);
        double sum = 0.0;
        for (double probability : scores) {
            assertThat(probability).isBetween(0.0, 1.0);
            sum += probability;
        }
        assertThat(sum).isCloseTo(1.0, within(1e-14));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aConstantAddedToAllScoresChangesNothing(long seed) {
        EventRandom random = new EventRandom(seed);
        double[] scores = scores(random);
        double[] shifted = scores.clone();
        for (int k = 0; k < shifted.length; k++) {
            shifted[k] += 64.0;
        }
        // Scores up to 1e3 lose at most an ulp of 1e3 when shifted.
        assertThat(Softmax.logProbability(shifted, shifted.length, 0))
                .isCloseTo(Softmax.logProbability(scores, scores.length, 0), within(1e-12));
        Softmax.inPlace(scores, scores.length);
        Softmax.inPlace(shifted, shifted.length);
        assertThat(shifted).containsExactly(scores, within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theLogarithmAgreesWithTheProbability(long seed) {
        double[] scores = scores(new EventRandom(seed));
        double[] probabilities = scores.clone();
        Softmax.inPlace(probabilities, probabilities.length);
        for (int k = 0; k < scores.length; k++) {
            double log = Softmax.logProbability(scores, scores.length, k);
            assertThat(Exponential.exp(log)).isCloseTo(probabilities[k], within(1e-12));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e30, Double.MAX_VALUE})
    void extremeScoresLeaveTheWholeProbabilityToTheHighest(double extreme) {
        double[] scores = {extreme, -extreme, 0.0, extreme};
        Softmax.inPlace(scores, 4);
        assertThat(scores).containsExactly(0.5, 0.0, 0.0, 0.5);
    }

    @Test
    void theLogarithmIsRightWhereTheProbabilityUnderflows() {
        double[] scores = {0.0, -2000.0, -2000.0};
        assertThat(Softmax.logProbability(scores, 3, 1)).isEqualTo(-2000.0);
        assertThat(Softmax.logProbability(new double[] {1e30, -1e30}, 2, 1)).isEqualTo(-2e30);
        assertThat(scores).containsExactly(0.0, -2000.0, -2000.0);
    }

    @Test
    void theOnlyActionIsCertain() {
        double[] scores = {-1e30, 7.0};
        assertThat(Softmax.logProbability(scores, 1, 0)).isZero();
        Softmax.inPlace(scores, 1);
        assertThat(scores).containsExactly(1.0, 7.0); // only the head is touched
    }

    @Test
    void refusesAnInvalidScore() {
        assertThatThrownBy(() -> Softmax.inPlace(new double[] {0.0, Double.NaN}, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("score of action 1 must be finite, got NaN");
        assertThatThrownBy(
                        () -> Softmax.logProbability(new double[] {Double.POSITIVE_INFINITY}, 1, 0))
                .hasMessage("score of action 0 must be finite, got Infinity");
        assertThatThrownBy(() -> Softmax.inPlace(new double[0], 0))
                .hasMessage("a softmax needs at least one action, got 0");
    }
}
