package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/** A context that stores only coordinates that are not zero. Immutable. */
public final class SparseVector implements FeatureVector {

    private final int dimension;
    private final int[] indices;
    private final float[] values;

    /**
     * @param indices coordinates in strictly ascending order, each below {@code dimension}. Copied.
     * @param values the value of each, finite. Copied.
     */
    public SparseVector(int dimension, int[] indices, float[] values) {
        Require.atLeast(0, dimension, "dimension");
        if (indices.length != values.length) {
            throw new IllegalArgumentException(
                    "indices has " + indices.length + " entries but values has " + values.length);
        }
        int previous = -1;
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] <= previous || indices[i] >= dimension) {
                throw new IllegalArgumentException(
                        "indices must ascend strictly within [0, %d), got %d after %d"
                                .formatted(dimension, indices[i], previous));
            }
            if (!Float.isFinite(values[i])) {
                throw new IllegalArgumentException(
                        "feature "
                                + indices[i]
                                + " must be a finite number within the range of a float");
            }
            previous = indices[i];
        }
        this.dimension = dimension;
        this.indices = indices.clone();
        this.values = values.clone();
    }

    /** The stored coordinates, ascending; a copy. */
    public int[] indices() {
        return indices.clone();
    }

    /** Their values; a copy. */
    public float[] values() {
        return values.clone();
    }

    /** Number of stored coordinates. */
    public int entries() {
        return indices.length;
    }

    /** The coordinate of an entry. */
    public int index(int entry) {
        return indices[entry];
    }

    public float value(int entry) {
        return values[entry];
    }

    @Override
    public int dimension() {
        return dimension;
    }

    @Override
    public float dot(float[] weights, float start) {
        float sum = start;
        for (int i = 0; i < indices.length; i++) {
            sum += values[i] * weights[indices[i]];
        }
        return sum + 0.0f; // not −0.0, as in the dense form
    }

    @Override
    public void addTo(float factor, float[] target) {
        for (int i = 0; i < indices.length; i++) {
            target[indices[i]] += factor * values[i];
        }
    }

    @Override
    public float[] toArray() {
        float[] all = new float[dimension];
        for (int i = 0; i < indices.length; i++) {
            all[indices[i]] = values[i];
        }
        return all;
    }

    @Override
    public long bytes() {
        return 8L * values.length;
    }

    @Override
    public double squaredNorm() {
        return Norms.squared(values);
    }

    @Override
    public SparseVector boundedBy(double normBound) {
        double factor = Norms.factorTo(normBound, squaredNorm());
        return factor == 1.0
                ? this
                : new SparseVector(dimension, indices, Norms.scaled(values, factor));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SparseVector that
                && dimension == that.dimension
                && Arrays.equals(indices, that.indices)
                && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(indices) + Arrays.hashCode(values);
    }

    /** Contains sizes only: feature values are user data and must not be logged. */
    @Override
    public String toString() {
        return "SparseVector[" + indices.length + " of " + dimension + " coordinates]";
    }
}
