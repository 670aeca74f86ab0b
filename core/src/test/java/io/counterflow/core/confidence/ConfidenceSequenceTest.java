package io.counterflow.core.confidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Numbers;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfidenceSequenceTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 50);
    }

    @Test
    void oneLambdaHasItsBoundInClosedForm() {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence(1.0);
        for (int i = 0; i < 6; i++) {
            sequence.add(1.0);
        }
        // 2⁶/(1+m)⁶ = 1/0.05 at m = 2 · 0.05^(1/6) − 1
        double expected = 2.0 * StrictMath.pow(0.05, 1.0 / 6.0) - 1.0;
        assertThat(sequence.bound(0.05)).isCloseTo(expected, within(1e-11));
    }

    @Test
    void twoLambdasAreAveraged() {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence(1.0, 3.0);
        for (int i = 0; i < 4; i++) {
            sequence.add(1.0);
        }
        // at m = 0.2: (2⁴/1.2⁴ + 4⁴/1.6⁴)/2 = (7.716 + 39.0625)/2 = 23.389, above 1/0.05
        // at m = 0.3: (2⁴/1.3⁴ + 4⁴/1.9⁴)/2 = (5.602 + 19.644)/2 = 12.623, below it
        assertThat(sequence.rejects(0.2, 0.05)).isTrue();
        assertThat(sequence.rejects(0.3, 0.05)).isFalse();
        assertThat(sequence.bound(0.05)).isBetween(0.2, 0.3);
    }

    @Test
    void theUpperSequenceIsTheMirrorOfTheLower() {
        LowerConfidenceSequence lower = new LowerConfidenceSequence();
        UpperConfidenceSequence upper = new UpperConfidenceSequence();
        for (int i = 0; i < 100; i++) {
            lower.add(i % 4 == 0 ? 1.0 : 0.0);
            upper.add(i % 4 == 0 ? 0.0 : 1.0);
        }
        assertThat(upper.bound(0.05)).isEqualTo(1.0 - lower.bound(0.05));
        assertThat(upper.bound(0.05)).isBetween(0.75, 0.95);
        assertThat(upper.rejects(0.99, 0.05)).isTrue();
        assertThat(upper.rejects(0.75, 0.05)).isFalse();
    }

    @Test
    void theMeanWeightSequenceUsesHalfOfDeltaOnEachSide() {
        MeanWeightSequence weights = new MeanWeightSequence(4.0);
        LowerConfidenceSequence below = new LowerConfidenceSequence();
        UpperConfidenceSequence above = new UpperConfidenceSequence();
        for (int i = 0; i < 500; i++) {
            double weight = i % 3;
            weights.add(weight);
            below.add(weight);
            above.add(weight / 4.0);
        }
        double lower = below.bound(0.05);
        double upper = 4.0 * above.bound(0.05);
        assertThat(weights.lowerBound(0.1)).isEqualTo(lower).isGreaterThan(0.5);
        assertThat(weights.upperBound(0.1)).isEqualTo(upper).isLessThan(1.5);
        assertThat(weights.rejects(lower - 1e-6, 0.1)).isTrue();
        assertThat(weights.rejects(lower + 1e-6, 0.1)).isFalse();
        assertThat(weights.rejects(upper - 1e-6, 0.1)).isFalse();
        assertThat(weights.rejects(upper + 1e-6, 0.1)).isTrue();
    }

    @Test
    void withoutExamplesNothingIsRejected() {
        assertThat(new LowerConfidenceSequence().bound(0.5)).isZero();
        assertThat(new UpperConfidenceSequence().bound(0.5)).isEqualTo(1.0);
        assertThat(new DifferenceConfidenceSequence().bound(0.5)).isEqualTo(-1.0);
        MeanWeightSequence weights = new MeanWeightSequence(10.0);
        assertThat(weights.lowerBound(0.5)).isZero();
        assertThat(weights.upperBound(0.5)).isEqualTo(10.0);
        assertThat(weights.rejects(1.0, 0.5)).isFalse();
    }

    @Test
    void zeroRewardsForeverKeepTheBoundAtZero() {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        for (int i = 0; i < 1_000; i++) {
            sequence.add(0.0);
        }
        assertThat(sequence.bound(0.5)).isZero();
        assertThat(sequence.rejects(0.0, 0.5)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theBoundIsWhereRejectionEndsAndLoosensAsConfidenceRises(long seed) {
        LowerConfidenceSequence sequence = draw(seed, 200);
        double bound = sequence.bound(0.05);
        assertThat(bound).as("seed %d", seed).isPositive().isLessThan(1.0);
        assertThat(sequence.rejects(bound, 0.05)).as("seed %d", seed).isTrue();
        assertThat(sequence.rejects(bound + 1e-10, 0.05)).as("seed %d", seed).isFalse();
        assertThat(sequence.bound(0.01)).as("seed %d", seed).isLessThan(bound);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void mergingAddsUp(long seed) {
        LowerConfidenceSequence one = draw(seed, 100);
        LowerConfidenceSequence other = draw(~seed, 50);
        LowerConfidenceSequence whole = LowerConfidenceSequence.restore(one.state());
        EventRandom random = new EventRandom(~seed);
        for (int i = 0; i < 50; i++) {
            whole.add(term(random));
        }
        one.merge(other);
        assertThat(one.count()).isEqualTo(150);
        assertThat(one.bound(0.05)).as("seed %d", seed).isCloseTo(whole.bound(0.05), within(1e-11));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aStoredSequenceContinuesWithTheSameBits(long seed) {
        LowerConfidenceSequence sequence = draw(seed, 20);
        SequenceState stored = sequence.state();
        LowerConfidenceSequence restored = LowerConfidenceSequence.restore(stored);
        sequence.add(0.3);
        restored.add(0.3);
        assertThat(restored.state()).as("seed %d", seed).isEqualTo(sequence.state());
        assertThat(stored).as("seed %d", seed).isNotEqualTo(sequence.state());
        assertThat(restored.bound(0.05)).isEqualTo(sequence.bound(0.05));
    }

    @Test
    void everySequenceRestoresFromItsState() {
        UpperConfidenceSequence upper = new UpperConfidenceSequence();
        DifferenceConfidenceSequence difference = new DifferenceConfidenceSequence();
        EventRandom random = new EventRandom(3);
        for (int i = 0; i < 200; i++) {
            upper.add(0.5 + random.nextDouble(), 0.2);
            difference.add(
                    3.0 * random.nextDouble(),
                    random.nextDouble(),
                    1.0 + i % 4,
                    0.1 * (i % 3),
                    1.0);
        }
        assertThat(UpperConfidenceSequence.restore(upper.state()).bound(0.1))
                .isEqualTo(upper.bound(0.1));
        assertThat(DifferenceConfidenceSequence.restore(difference.state()).bound(0.1))
                .isEqualTo(difference.bound(0.1));
        upper.merge(UpperConfidenceSequence.restore(upper.state()));
        assertThat(upper.count()).isEqualTo(400);
    }

    /** For few and many examples, small and large ones. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-9, 0.003, 0.4, 1.0, 37.0, 1e6, 1e12})
    void theBoundIsTheLargestMeanThatIsRejected(double scale) {
        EventRandom random = new EventRandom(Double.doubleToLongBits(scale));
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        for (int n = 1; n <= 3_000; n++) {
            sequence.add(random.nextInt(3) == 0 ? scale * random.nextDouble() : 0.0);
            if (Integer.bitCount(n) == 1 || n == 3_000) {
                double bound = sequence.bound(0.05);
                double precision = 1e-12 * Math.max(1.0, bound);
                if (bound > 0.0) {
                    assertThat(sequence.rejects(bound, 0.05)).as("n = %d", n).isTrue();
                }
                assertThat(sequence.rejects(bound + precision, 0.05)).as("n = %d", n).isFalse();
            }
        }
    }

    @Test
    void aStoredDifferenceSequenceKeepsItsGrid() {
        DifferenceState one =
                new DifferenceState(
                        Numbers.of(0.5),
                        Numbers.of(0.0),
                        new DifferenceConfidenceSequence().state().counts());
        DifferenceConfidenceSequence restored = DifferenceConfidenceSequence.restore(one);
        restored.add(3.0, 1.0, 1.0, 0.0, 1.0);
        assertThat(restored.state().grid()).isEqualTo(Numbers.of(0.5));
        assertThat(restored.state().logSums())
                .isEqualTo(Numbers.of(StrictMath.log1p(0.5 / 1.5 * 2.0)));
        assertThatThrownBy(
                        () ->
                                new DifferenceState(
                                        Numbers.of(0.5), Numbers.of(0.0, 0.0), one.counts()))
                .hasMessageContaining("a sum for each of at least one lambda");
    }

    /** The average over λ of Π (1 + b(D − m)), computed example by example. */
    @Test
    void theDifferenceSequenceIsTheMartingaleOfItsDefinition() {
        double[][] examples = {
            {2.0, 0.5, 1.0, 0.0, 1.0},
            {0.0, 1.0, 1.0, 0.0, 0.5},
            {1.5, 2.0, 4.0, 0.0, 1.0},
            {1.5, 3.0, 4.0, 0.7, 1.0},
            {0.5, 3.0, 3.0, 0.9, 0.8},
            {1.1, 0.0, 4.0, 0.7, 0.0} // a loss without a reward
        };
        DifferenceConfidenceSequence sequence = new DifferenceConfidenceSequence();
        for (double[] it : examples) {
            sequence.add(it[0], it[1], it[2], it[3], it[4]);
        }
        for (double mean : new double[] {-0.5, 0.0, 0.2}) {
            double average = 0.0;
            for (int j = -2; j <= 28; j++) {
                double lambda = Math.pow(2.0, j < 0 ? -j : -j / 2.0);
                double product = 1.0;
                for (double[] it : examples) {
                    double level = it[2] == 3.0 ? Math.pow(2.0, 1.75) : it[2]; // rounded up
                    boolean large = lambda * level > 4.0 - 1e-6;
                    double difference = large && it[3] > 0.0 ? -it[3] : (it[0] - it[1]) * it[4];
                    double bet = lambda / (1.0 + lambda * ((large ? 1.0 : level) + mean));
                    product *= 1.0 + bet * (difference - mean);
                }
                average += product / 31.0;
            }
            double delta = 0.3;
            assertThat(sequence.evidence(mean, delta))
                    .isCloseTo(Math.log(average) / Math.log(1.0 / delta), within(1e-12));
        }
    }

    @Test
    void theDifferenceIsRejectedUpToItsBound() {
        DifferenceConfidenceSequence sequence = new DifferenceConfidenceSequence();
        EventRandom random = new EventRandom(4);
        for (int i = 0; i < 500; i++) {
            sequence.add(3.0 * random.nextDouble(), 1.0, 1.0, 0.0, random.nextInt(2));
        }
        double bound = sequence.bound(0.05);
        assertThat(bound).isBetween(0.0, 0.25);
        assertThat(sequence.rejects(bound, 0.05)).isTrue();
        assertThat(sequence.rejects(bound + 1e-8, 0.05)).isFalse();
        assertThat(sequence.bound(0.01)).isLessThan(bound);
        assertThat(sequence.count()).isEqualTo(500);
    }

    @Test
    void enormousTermsGiveAFiniteBound() {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        sequence.add(1e100);
        sequence.add(1e100);
        assertThat(sequence.bound(0.05)).isFinite().isPositive().isLessThan(1e100);
        assertThat(sequence.bound(Double.MIN_VALUE)).isFinite().isNotNegative();
        for (int i = 0; i < 1_000; i++) {
            sequence.add(1e100);
        }
        assertThat(sequence.bound(0.05)).isGreaterThan(9e99).isLessThan(1e100);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1e-9, Double.NaN, Double.POSITIVE_INFINITY})
    void aTermThatIsNegativeOrNotFiniteIsRefused(double x) {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        assertThatThrownBy(() -> sequence.add(x)).hasMessage("x must be in [0, 1e100], got " + x);
        assertThat(sequence.count()).isZero();
    }

    @Test
    void wrongUseIsNamed() {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        assertThatThrownBy(() -> sequence.bound(0.0))
                .hasMessage("delta must be in (0, 1), got 0.0");
        assertThatThrownBy(() -> sequence.merge(new LowerConfidenceSequence(1.0)))
                .hasMessage("sequences to merge must have the same grid, got 11 and 1 lambdas");
        assertThatThrownBy(() -> new LowerConfidenceSequence(new double[0]))
                .hasMessage("a sequence needs at least one lambda");
        assertThatThrownBy(() -> new LowerConfidenceSequence(-1.0))
                .hasMessage("smoothing must be in [1e-100, 1e100], got -1.0");
        assertThatThrownBy(() -> new DifferenceConfidenceSequence().add(1.0, 1.5, 1.0, 0.0, 1.0))
                .hasMessage("holderWeight must be in [0, 1.0], got 1.5");
        assertThatThrownBy(() -> new DifferenceConfidenceSequence().add(1.0, 1.0, 65.0, 0.0, 1.0))
                .hasMessage("maxHolderWeight must be in [1, 64], got 65.0");
        assertThatThrownBy(() -> new DifferenceConfidenceSequence().add(0.0, 2.0, 2.0, 0.0, 1.0))
                .hasMessage("loss must be above 0 if D is below -1, got 0.0 with D = -2.0");
        assertThatThrownBy(() -> new MeanWeightSequence(2.0).add(2.5))
                .hasMessage("weight must be in [0, 2.0], got 2.5");
        assertThatThrownBy(() -> new SequenceState(Numbers.of(1.0), Numbers.of(Double.NaN), 1))
                .hasMessage("logSums must be finite and at least 0, got NaN");
        assertThatThrownBy(() -> new SequenceState(Numbers.of(1.0), Numbers.of(), 1))
                .hasMessage("a sequence needs a sum for each of at least one lambda, got 0 and 1");
    }

    @Test
    void theSharesOfDeltaAddUpToIt() {
        DeltaSpending spending = new DeltaSpending(0.05);
        // 6/π² = 0.6079271
        assertThat(spending.share(1)).isCloseTo(0.030396355, within(1e-9));
        assertThat(spending.share(2)).isCloseTo(0.030396355 / 4.0, within(1e-9));
        double sum = 0.0;
        for (int j = 1; j <= 100_000; j++) {
            sum += spending.share(j);
        }
        assertThat(sum).isLessThan(0.05).isCloseTo(0.05, within(1e-6));
        assertThat(spending.share(Long.MAX_VALUE)).isPositive();
        assertThatThrownBy(() -> spending.share(0))
                .hasMessage("candidate must be at least 1, got 0");
    }

    private static LowerConfidenceSequence draw(long seed, int n) {
        EventRandom random = new EventRandom(seed);
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        for (int i = 0; i < n; i++) {
            sequence.add(term(random));
        }
        return sequence;
    }

    /** Zero half of the time, otherwise up to 2: mean 0.5. */
    private static double term(EventRandom random) {
        return Math.max(0.0, 4.0 * random.nextDouble() - 2.0);
    }
}
