package io.counterflow.core.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ActionFeaturesLawTest {

    private static final int BITS = 4;

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /** Rows of different lengths, some empty, over so few indices that many occur twice. */
    private static ActionFeatures draw(EventRandom random) {
        int[] rowStarts = new int[2 + random.nextInt(6)];
        for (int a = 1; a < rowStarts.length; a++) {
            rowStarts[a] = rowStarts[a - 1] + random.nextInt(12);
        }
        int entries = rowStarts[rowStarts.length - 1];
        int[] indices = new int[entries];
        float[] values = new float[entries];
        for (int i = 0; i < entries; i++) {
            indices[i] = random.nextInt(1 << BITS);
            values[i] = (float) random.nextGaussian();
        }
        return ActionFeatures.of(BITS, rowStarts, indices, values);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRowIsWhatAddingTheActionGives(long seed) {
        ActionFeatures phi = draw(new EventRandom(seed));
        for (int a = 0; a < phi.actions(); a++) {
            float[] added = new float[1 << BITS];
            phi.addTo(a, 1.0f, added);
            assertThat(phi.row(a).toArray()).isEqualTo(added); // both add in entry order
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theScoreOfARowIsTheScoreOfItsAction(long seed) {
        EventRandom random = new EventRandom(seed);
        ActionFeatures phi = draw(random);
        float[] weights = new float[1 << BITS];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) random.nextGaussian();
        }
        for (int a = 0; a < phi.actions(); a++) {
            assertThat(phi.dot(a, weights)).isCloseTo(phi.row(a).dot(weights, 0f), within(1e-4f));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void boundedRowsNeverExceedTheBoundAndShortOnesStay(long seed) {
        EventRandom random = new EventRandom(seed);
        ActionFeatures phi = draw(random);
        double bound = 3.0 * random.nextDouble();
        ActionFeatures bounded = phi.boundedBy(bound);
        assertThat(bounded.maxSquaredNorm()).isLessThanOrEqualTo(bound * bound);
        for (int a = 0; a < phi.actions(); a++) {
            SparseVector row = phi.row(a);
            assertThat(bounded.row(a)).isEqualTo(row.boundedBy(bound));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void rowsAreWithinTheNormOfTheLongestAndNoLess(long seed) {
        ActionFeatures phi = draw(new EventRandom(seed));
        double longest = Math.sqrt(phi.maxSquaredNorm());
        assertThat(phi.within(longest * 1.001)).isTrue();
        assertThat(phi.within(longest * 100)).isTrue();
        assertThat(longest > 0 && phi.within(longest * 0.999)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void bytesAreThoseOfTheNumbersHeld(long seed) {
        ActionFeatures phi = draw(new EventRandom(seed));
        int entries = phi.rowStart(phi.actions());
        assertThat(phi.bytes()).isEqualTo(4L * (phi.actions() + 1) + 8L * entries);
        SparseVector row = phi.row(0);
        assertThat(row.bytes()).isEqualTo(8L * row.indices().length);
        assertThat(DenseVector.of(row.toArray()).bytes()).isEqualTo(4L << BITS);
    }

    @Test
    void valuesThatCancelAreBoundedTogether() {
        float large = 1e30f;
        ActionFeatures phi =
                ActionFeatures.of(
                        BITS,
                        new int[] {0, 2},
                        new int[] {3, 3},
                        new float[] {large, -Math.nextDown(large)});
        assertThat(phi.within(large)).isTrue();
        assertThat(phi.within(1.0)).isFalse();
        assertThat(phi.boundedBy(1.0).maxSquaredNorm()).isLessThanOrEqualTo(1.0);
        assertThat(phi.boundedBy(1.0).row(0).toArray()[3]).isCloseTo(1.0f, within(1e-6f));
    }

    @Test
    void refusesWhatIsNoTable() {
        assertThatThrownBy(
                        () ->
                                ActionFeatures.of(
                                        BITS, new int[] {0, 1}, new int[] {16}, new float[1]))
                .hasMessage("index must be in [0, 2^4), got 16");
        assertThatThrownBy(() -> ActionFeatures.of(BITS, new int[] {0}, new int[0], new float[0]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                ActionFeatures.of(
                                        BITS, new int[] {0, 2, 1}, new int[1], new float[1]))
                .hasMessage("rowStarts must not descend");
        assertThatThrownBy(
                        () ->
                                ActionFeatures.of(
                                        BITS,
                                        new int[] {0, 1},
                                        new int[1],
                                        new float[] {Float.NaN}))
                .hasMessage("feature values must be finite numbers within the range of a float");
        assertThatThrownBy(() -> ActionFeatures.of(31, new int[2], new int[0], new float[0]))
                .hasMessage("bits must be in [1, 30], got 31");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aMeasuredBoundHoldsAndEnforcingItChangesNothing(long seed) {
        EventRandom random = new EventRandom(seed);
        ActionFeatures phi = draw(random);
        DenseVector x = DenseVector.of(FeatureVectorLawTest.drawValues(random, 9));
        NormBound bound = NormBound.measured(List.of(phi, x));
        assertThat(phi.within(bound.value())).isTrue();
        assertThat(x.within(bound.value())).isTrue();
        assertThat(phi.boundedBy(bound.value())).isEqualTo(phi);
        assertThat(x.boundedBy(bound.value())).isEqualTo(x);
        assertThat(bound.value() * bound.value())
                .isCloseTo(
                        Math.max(phi.maxSquaredNorm(), x.squaredNorm()),
                        within(1e-12 * bound.value() * bound.value()));
    }

    @Test
    void anEnforcedBoundHoldsForWhatIsLonger() {
        NormBound bound = new NormBound(1.0);
        DenseVector x = DenseVector.of(3f, 4f);
        assertThat(x.within(bound.value())).isFalse();
        assertThat(x.boundedBy(bound.value()).within(bound.value())).isTrue();
        assertThat(NormBound.measured(List.of()).value()).isZero();
        assertThatThrownBy(() -> new NormBound(Double.POSITIVE_INFINITY))
                .hasMessage("norm bound must be finite and at least 0, got Infinity");
    }
}
