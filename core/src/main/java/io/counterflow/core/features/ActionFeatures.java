package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/**
 * Hashed features φ(x, a) of every action of one request, as rows of indices and values. Immutable.
 *
 * <p>An index may occur more than once in a row if two names have the same hash; their values are
 * added. Sums over a row run in the order of the entries, in float.
 */
public final class ActionFeatures implements Features {

    private final int bits;
    private final int[] rowStarts;
    private final int[] indices;
    private final float[] values;
    private final float maxAbsoluteValue;

    private ActionFeatures(int bits, int[] rowStarts, int[] indices, float[] values) {
        this.bits = bits;
        this.rowStarts = rowStarts;
        this.indices = indices;
        this.values = values;
        this.maxAbsoluteValue = Norms.maxAbsolute(values);
        if (!Float.isFinite(maxAbsoluteValue)) {
            throw new IllegalArgumentException(
                    "feature values must be finite numbers within the range of a float");
        }
    }

    /**
     * Features with these entries.
     *
     * @param bits all indices are less than 2<sup>bits</sup>
     * @param rowStarts the position of the first entry of each action, followed by the number of
     *     entries. Copied.
     * @param indices indices of all rows, one after the other. Copied.
     * @param values values of all rows, finite. Copied.
     */
    public static ActionFeatures of(int bits, int[] rowStarts, int[] indices, float[] values) {
        Require.within(1, 30, bits, "bits");
        if (rowStarts.length < 2
                || rowStarts[0] != 0
                || rowStarts[rowStarts.length - 1] != indices.length
                || indices.length != values.length) {
            throw new IllegalArgumentException(
                    "rowStarts must lead from 0 to the number of entries, for at least one action");
        }
        for (int row = 1; row < rowStarts.length; row++) {
            if (rowStarts[row] < rowStarts[row - 1]) {
                throw new IllegalArgumentException("rowStarts must not descend");
            }
        }
        for (int index : indices) {
            if (index < 0 || index >>> bits != 0) {
                throw new IllegalArgumentException(
                        "index must be in [0, 2^" + bits + "), got " + index);
            }
        }
        return new ActionFeatures(bits, rowStarts.clone(), indices.clone(), values.clone());
    }

    /**
     * Wraps arrays without copying them. The caller vouches for rows and indices, and must not use
     * the arrays afterwards. Values must be finite.
     */
    static ActionFeatures owning(int bits, int[] rowStarts, int[] indices, float[] values) {
        return new ActionFeatures(bits, rowStarts, indices, values);
    }

    /** All indices are less than two to this power. */
    public int bits() {
        return bits;
    }

    /** Number of actions to choose from. */
    public int actions() {
        return rowStarts.length - 1;
    }

    /** φ(x, action) · weights. {@code weights} is not modified. */
    public float dot(int action, float[] weights) {
        return dot(action, 0, 0.0f, weights);
    }

    /** Adds the products from an entry of the row on to a sum. */
    private float dot(int action, int from, float start, float[] weights) {
        float sum = start;
        for (int i = rowStarts[action] + from; i < rowStarts[action + 1]; i++) {
            sum += values[i] * weights[indices[i]];
        }
        return sum;
    }

    /**
     * φ(x, a) · weights for every action a. Up to four scores are computed at a time, each summed
     * in the order of {@link #dot}: their additions are independent, so they run in parallel.
     *
     * @param scores one for each action. Overwritten.
     */
    public void dots(float[] weights, double[] scores) {
        int action = 0;
        for (; action + 4 <= actions(); action += 4) {
            int a = rowStarts[action];
            int b = rowStarts[action + 1];
            int c = rowStarts[action + 2];
            int d = rowStarts[action + 3];
            int common =
                    Math.min(Math.min(b - a, c - b), Math.min(d - c, rowStarts[action + 4] - d));
            float sumA = 0.0f;
            float sumB = 0.0f;
            float sumC = 0.0f;
            float sumD = 0.0f;
            for (int i = 0; i < common; i++) {
                sumA += values[a + i] * weights[indices[a + i]];
                sumB += values[b + i] * weights[indices[b + i]];
                sumC += values[c + i] * weights[indices[c + i]];
                sumD += values[d + i] * weights[indices[d + i]];
            }
            scores[action] = dot(action, common, sumA, weights);
            scores[action + 1] = dot(action + 1, common, sumB, weights);
            scores[action + 2] = dot(action + 2, common, sumC, weights);
            scores[action + 3] = dot(action + 3, common, sumD, weights);
        }
        for (; action < actions(); action++) {
            scores[action] = dot(action, weights);
        }
    }

    /** Adds {@code factor} · φ(x, action) to {@code target}. */
    public void addTo(int action, float factor, float[] target) {
        for (int i = rowStarts[action]; i < rowStarts[action + 1]; i++) {
            target[indices[i]] += factor * values[i];
        }
    }

    /** Where the entries of an action start; entry {@code rowStart(actions())} is the end. */
    public int rowStart(int action) {
        return rowStarts[action];
    }

    public int index(int entry) {
        return indices[entry];
    }

    public float value(int entry) {
        return values[entry];
    }

    /** The largest absolute value of an entry; 0 without entries. */
    public float maxAbsoluteValue() {
        return maxAbsoluteValue;
    }

    /** The entries of one action by ascending index, with the values of equal indices added. */
    public SparseVector row(int action) {
        int start = rowStarts[action];
        int length = rowStarts[action + 1] - start;
        // Sorted by index and then by position, so that equal indices add up in entry order.
        long[] keys = new long[length];
        for (int i = 0; i < length; i++) {
            keys[i] = ((long) indices[start + i] << 32) | i;
        }
        Arrays.sort(keys);
        int[] merged = new int[length];
        float[] sums = new float[length];
        int used = 0;
        for (long key : keys) {
            int index = (int) (key >>> 32);
            float value = values[start + (int) key];
            if (used > 0 && merged[used - 1] == index) {
                sums[used - 1] += value;
            } else {
                merged[used] = index;
                sums[used++] = value;
            }
        }
        return new SparseVector(1 << bits, Arrays.copyOf(merged, used), Arrays.copyOf(sums, used));
    }

    @Override
    public long bytes() {
        return 4L * (rowStarts.length + indices.length + values.length);
    }

    @Override
    public double maxSquaredNorm() {
        double largest = 0.0;
        for (int action = 0; action < actions(); action++) {
            largest = Math.max(largest, row(action).squaredNorm());
        }
        return largest;
    }

    /**
     * {@inheritDoc}
     *
     * <p>‖φ‖₂ ≤ ‖φ‖₁ ≤ n max |φᵢ| for n entries, and entries with the same index only make φ
     * shorter. For most requests this is enough, and their entries need not be sorted.
     */
    @Override
    public boolean within(double norm) {
        if ((double) maxAbsoluteValue * values.length <= norm) {
            return true;
        }
        for (int action = 0; action < actions(); action++) {
            double sum = 0.0;
            for (int i = rowStarts[action]; i < rowStarts[action + 1]; i++) {
                sum += Math.abs(values[i]);
            }
            if (sum > norm && !(row(action).squaredNorm() <= norm * norm)) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * <p>In a row that is scaled, entries with the same index are merged first: if two large values
     * that cancel were scaled separately, the rounding error could exceed the bound.
     */
    @Override
    public ActionFeatures boundedBy(double normBound) {
        int[] boundedStarts = new int[rowStarts.length];
        int[] boundedIndices = new int[indices.length];
        float[] bounded = new float[values.length];
        int used = 0;
        boolean changed = false;
        for (int action = 0; action < actions(); action++) {
            SparseVector row = row(action);
            SparseVector boundedRow = row.boundedBy(normBound);
            int length;
            if (boundedRow.equals(row)) {
                length = rowStarts[action + 1] - rowStarts[action];
                System.arraycopy(indices, rowStarts[action], boundedIndices, used, length);
                System.arraycopy(values, rowStarts[action], bounded, used, length);
            } else {
                int[] rowIndices = boundedRow.indices();
                length = rowIndices.length;
                System.arraycopy(rowIndices, 0, boundedIndices, used, length);
                System.arraycopy(boundedRow.values(), 0, bounded, used, length);
                changed = true;
            }
            used += length;
            boundedStarts[action + 1] = used;
        }
        return changed
                ? owning(
                        bits,
                        boundedStarts,
                        Arrays.copyOf(boundedIndices, used),
                        Arrays.copyOf(bounded, used))
                : this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ActionFeatures that
                && bits == that.bits
                && Arrays.equals(rowStarts, that.rowStarts)
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
        return "ActionFeatures[" + actions() + " actions, " + indices.length + " entries]";
    }
}
