package io.counterflow.core.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.numeric.EventRandom;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class FeatureVectorLawTest {

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /** Values of very different sizes, of which about half are zero. */
    static float[] drawValues(EventRandom random, int n) {
        float[] values = new float[n];
        for (int j = 0; j < n; j++) {
            if (random.nextInt(2) == 0) {
                double scale = StrictMath.pow(10.0, 20.0 * random.nextDouble() - 10.0);
                values[j] = (float) (scale * random.nextGaussian());
            }
        }
        return values;
    }

    private static SparseVector sparse(float[] values) {
        int[] indices = new int[values.length];
        float[] kept = new float[values.length];
        int used = 0;
        for (int j = 0; j < values.length; j++) {
            if (values[j] != 0.0f) {
                indices[used] = j;
                kept[used++] = values[j];
            }
        }
        return new SparseVector(
                values.length, Arrays.copyOf(indices, used), Arrays.copyOf(kept, used));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void denseAndSparseGiveTheSameBits(long seed) {
        EventRandom random = new EventRandom(seed);
        float[] values = drawValues(random, 1 + random.nextInt(50));
        float[] weights = drawValues(random, values.length);
        float start = random.nextInt(3) == 0 ? -0.0f : (float) random.nextGaussian();
        DenseVector dense = DenseVector.of(values);
        SparseVector sparse = sparse(values);
        assertThat(Float.floatToRawIntBits(sparse.dot(weights, start)))
                .isEqualTo(Float.floatToRawIntBits(dense.dot(weights, start)));
        float[] denseTarget = weights.clone();
        float[] sparseTarget = weights.clone();
        dense.addTo(0.3f, denseTarget);
        sparse.addTo(0.3f, sparseTarget);
        assertThat(sparseTarget).isEqualTo(denseTarget);
        assertThat(sparse.squaredNorm()).isEqualTo(dense.squaredNorm());
        assertThat(sparse.toArray()).isEqualTo(dense.toArray());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void severalDotsAtOnceGiveTheBitsOfEachByItself(long seed) {
        EventRandom random = new EventRandom(seed);
        float[] values = drawValues(random, 1 + random.nextInt(50));
        float[][] weights = new float[1 + random.nextInt(12)][];
        float[] starts = new float[weights.length];
        for (int row = 0; row < weights.length; row++) {
            weights[row] = drawValues(random, values.length);
            starts[row] = random.nextInt(3) == 0 ? -0.0f : (float) random.nextGaussian();
        }
        for (FeatureVector x : new FeatureVector[] {DenseVector.of(values), sparse(values)}) {
            double[] products = new double[weights.length];
            x.dots(weights, starts, products);
            for (int row = 0; row < weights.length; row++) {
                assertThat(Double.doubleToRawLongBits(products[row]))
                        .as("row %d of %d, seed %d", row, weights.length, seed)
                        .isEqualTo(Double.doubleToRawLongBits(x.dot(weights[row], starts[row])));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aBoundedVectorNeverExceedsTheBoundAndHardlyFallsShort(long seed) {
        EventRandom random = new EventRandom(seed);
        float[] values = drawValues(random, 1 + random.nextInt(50));
        double bound = StrictMath.pow(10.0, 100.0 * random.nextDouble() - 60.0);
        for (FeatureVector x : new FeatureVector[] {DenseVector.of(values), sparse(values)}) {
            FeatureVector bounded = x.boundedBy(bound);
            assertThat(bounded.squaredNorm()).isLessThanOrEqualTo(bound * bound);
            if (x.squaredNorm() <= bound * bound) {
                assertThat(bounded).isEqualTo(x);
            } else if (bound > 1e-30) { // below, coordinates fall out of a float's normal range
                assertThat(Math.sqrt(bounded.squaredNorm())).isGreaterThan(bound * (1.0 - 1e-6));
            }
        }
    }

    @Test
    void aBoundAmongTheSmallestFloatsHoldsToo() {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1.0f);
        double bound = 25.0 * Float.MIN_VALUE; // 0.8 of the smallest float per coordinate
        assertThat(DenseVector.of(ones).boundedBy(bound).squaredNorm())
                .isLessThanOrEqualTo(bound * bound);
    }

    @Test
    void aBoundOfZeroLeavesNothing() {
        assertThat(DenseVector.of(1f, 2f).boundedBy(0.0)).isEqualTo(DenseVector.of(0f, 0f));
        assertThatThrownBy(() -> DenseVector.of(1f).boundedBy(Double.NaN))
                .hasMessage("normBound must be at least 0, got NaN");
    }

    @Test
    void vectorsAreCopiedInAndOut() {
        float[] values = {1f, 2f};
        int[] indices = {0, 5};
        DenseVector dense = DenseVector.of(values);
        SparseVector sparse = new SparseVector(6, indices, values);
        values[0] = 9f;
        indices[1] = 3;
        dense.toArray()[0] = 9f;
        sparse.values()[0] = 9f;
        assertThat(dense).isEqualTo(DenseVector.of(1f, 2f));
        assertThat(sparse).isEqualTo(new SparseVector(6, new int[] {0, 5}, new float[] {1f, 2f}));
    }

    @Test
    void refusesAnInvalidVectorWithoutQuotingValues() {
        assertThatThrownBy(() -> DenseVector.of(1f, Float.NaN))
                .hasMessage("feature 1 must be a finite number within the range of a float");
        assertThatThrownBy(() -> new SparseVector(-1, new int[0], new float[0]))
                .hasMessage("dimension must be at least 0, got -1");
        assertThatThrownBy(() -> new SparseVector(3, new int[] {1, 1}, new float[2]))
                .hasMessage("indices must ascend strictly within [0, 3), got 1 after 1");
        assertThatThrownBy(() -> new SparseVector(3, new int[] {3}, new float[1]))
                .hasMessage("indices must ascend strictly within [0, 3), got 3 after -1");
        assertThatThrownBy(() -> new SparseVector(3, new int[] {1}, new float[2]))
                .hasMessage("indices has 1 entries but values has 2");
    }

    @Test
    void printsNoValues() {
        assertThat(DenseVector.of(123f)).hasToString("DenseVector[1 coordinates]");
        assertThat(new SparseVector(7, new int[] {1}, new float[] {123f}))
                .hasToString("SparseVector[1 of 7 coordinates]");
        assertThat(Named.features("secret", "value").toString()).doesNotContain("value");
        assertThat(Named.action("a", "secret", 123).toString()).doesNotContain("123");
        assertThat(Named.features("s", "value").entries().get(0).toString())
                .doesNotContain("value=value");
    }
}
