package io.counterflow.core.features;

import java.util.Arrays;

/** A context with a value for every coordinate. Immutable. */
public final class DenseVector implements FeatureVector {

    private final float[] values;

    private DenseVector(float[] values) {
        for (int j = 0; j < values.length; j++) {
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

    /** Wraps an array that the caller gives away and never touches again. */
    public static DenseVector owning(float[] values) {
        return new DenseVector(values);
    }

    /**
     * The coordinates themselves, not a copy: the trainer's inner loop reads them. Not to be
     * modified.
     */
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
        return sum + 0.0f; // no negative zero, which zero coordinates would turn positive
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

    /** The dimension only: feature values are users' data and do not belong in logs. */
    @Override
    public String toString() {
        return "DenseVector[" + values.length + " coordinates]";
    }
}
