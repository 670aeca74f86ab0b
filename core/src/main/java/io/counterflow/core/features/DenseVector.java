package io.counterflow.core.features;

import java.util.Arrays;

/** A context with a value for every coordinate. Immutable. */
public final class DenseVector implements FeatureVector {

    private final float[] values;
    private final float maxAbsoluteValue;

    private DenseVector(float[] values) {
        maxAbsoluteValue = Norms.maxAbsolute(values);
        for (int j = 0; j < values.length && !Float.isFinite(maxAbsoluteValue); j++) {
            if (!Float.isFinite(values[j])) {
                throw new IllegalArgumentException(
                        "feature " + j + " must be a finite number within the range of a float");
            }
        }
        this.values = values;
    }

    /** A vector of these coordinates, all finite. They are copied. */
    public static DenseVector of(float... values) {
        return new DenseVector(values.clone());
    }

    /** Wraps an array without copying it. The caller must not use the array afterwards. */
    public static DenseVector owning(float[] values) {
        return new DenseVector(values);
    }

    /** The coordinates, not copied, for the inner loop of the trainer. Must not be modified. */
    public float[] values() {
        return values;
    }

    @Override
    public int dimension() {
        return values.length;
    }

    @Override
    public float dot(float[] weights, float start) {
        float sum = start;
        for (int j = 0; j < values.length; j++) {
            sum += values[j] * weights[j];
        }
        return sum + 0.0f; // not −0.0, which adding zero coordinates would change to 0.0
    }

    /**
     * Computes five scores at a time. Each is summed in the order of {@link #dot} and has the same
     * bits; the five additions are independent, so they run in parallel.
     */
    @Override
    public void dots(float[][] weights, float[] starts, double[] products) {
        int row = 0;
        for (; row + 5 <= weights.length; row += 5) {
            float[] w0 = weights[row];
            float[] w1 = weights[row + 1];
            float[] w2 = weights[row + 2];
            float[] w3 = weights[row + 3];
            float[] w4 = weights[row + 4];
            float sum0 = starts[row];
            float sum1 = starts[row + 1];
            float sum2 = starts[row + 2];
            float sum3 = starts[row + 3];
            float sum4 = starts[row + 4];
            for (int j = 0; j < values.length; j++) {
                float x = values[j];
                sum0 += x * w0[j];
                sum1 += x * w1[j];
                sum2 += x * w2[j];
                sum3 += x * w3[j];
                sum4 += x * w4[j];
            }
            products[row] = sum0 + 0.0f; // as in dot
            products[row + 1] = sum1 + 0.0f;
            products[row + 2] = sum2 + 0.0f;
            products[row + 3] = sum3 + 0.0f;
            products[row + 4] = sum4 + 0.0f;
        }
        for (; row < weights.length; row++) {
            products[row] = dot(weights[row], starts[row]);
        }
    }

    @Override
    public void addTo(float factor, float[] target) {
        for (int j = 0; j < values.length; j++) {
            target[j] += factor * values[j];
        }
    }

    @Override
    public float[] toArray() {
        return values.clone();
    }

    @Override
    public long bytes() {
        return 4L * values.length;
    }

    @Override
    public double squaredNorm() {
        return Norms.squared(values);
    }

    /** {@inheritDoc} ‖x‖₂ ≤ d max |xⱼ|, which is enough for most vectors. */
    @Override
    public boolean within(double norm) {
        return (double) maxAbsoluteValue * values.length <= norm || squaredNorm() <= norm * norm;
    }

    @Override
    public DenseVector boundedBy(double normBound) {
        double factor = Norms.factorTo(normBound, squaredNorm());
        return factor == 1.0 ? this : owning(Norms.scaled(values, factor));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DenseVector that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** Contains the dimension only: feature values are user data and must not be logged. */
    @Override
    public String toString() {
        return "DenseVector[" + values.length + " coordinates]";
    }
}
