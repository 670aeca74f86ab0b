package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Hashed features φ(x, a) of every action of one request, as rows of indices and values. Immutable.
 *
 * <p>An index may occur more than once in a row if two names have the same hash; their values are
 * added. Sums over a row run in the order of the entries, in float.
 */
public final class ActionFeatures implements Features {

    /** Products up to this size are not computed before they are needed. */
    private static final double MAX_LATER = 1e15;

    private final int bits;
    private final int[] rowStarts;
    private final float maxAbsoluteValue;
    private final @Nullable FactoredFeatures products;
    private volatile @Nullable Entries entries; // null until they are computed from the products

    private static final class Entries {
        private final int[] indices;
        private final float[] values;

        Entries(int[] indices, float[] values) {
            this.indices = indices;
            this.values = values;
        }
    }

    private ActionFeatures(int bits, int[] rowStarts, int[] indices, float[] values) {
        this.bits = bits;
        this.rowStarts = rowStarts;
        this.products = null;
        this.entries = new Entries(indices, values);
        this.maxAbsoluteValue = Norms.maxAbsolute(values);
        if (!Float.isFinite(maxAbsoluteValue)) {
            throw new IllegalArgumentException(
                    "feature values must be finite numbers within the range of a float");
        }
    }

    private ActionFeatures(int bits, FactoredFeatures products) {
        this.bits = bits;
        this.rowStarts = products.rowStarts();
        this.products = products;
        this.maxAbsoluteValue = (float) products.bound();
    }

    /**
     * Features with these products. Scores are computed from the products; the entries are computed
     * when they are needed.
     */
    static ActionFeatures of(int bits, FactoredFeatures products) {
        if (products.bound() <= MAX_LATER) {
            return new ActionFeatures(bits, products);
        }
        Entries entries = computed(bits, products); // because the largest value matters
        return owning(bits, products.rowStarts(), entries.indices, entries.values);
    }

    private static Entries computed(int bits, FactoredFeatures products) {
        int[] starts = products.rowStarts();
        Entries entries =
                new Entries(
                        new int[starts[starts.length - 1]], new float[starts[starts.length - 1]]);
        products.entries((1 << bits) - 1, entries.indices, entries.values);
        return entries;
    }

    private Entries entries() {
        Entries known = entries;
        if (known == null) { // two threads may both compute them; they are equal
            known = computed(bits, Objects.requireNonNull(products));
            entries = known;
        }
        return known;
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
        Entries known = entries;
        return known == null
                ? Objects.requireNonNull(products).score(action, (1 << bits) - 1, weights)
                : dot(known, action, 0, 0.0f, weights);
    }

    /** Adds the products from an entry of the row on to a sum. */
    private float dot(Entries known, int action, int from, float start, float[] weights) {
        float sum = start;
        for (int i = rowStarts[action] + from; i < rowStarts[action + 1]; i++) {
            sum += known.values[i] * weights[known.indices[i]];
        }
        return sum;
    }

    /**
     * φ(x, a) · weights for every action a, each summed in the order of {@link #dot}.
     *
     * @param scores one for each action. Overwritten.
     */
    public void dots(float[] weights, double[] scores) {
        Entries known = entries;
        int action = 0;
        if (known != null) {
            for (; action + 4 <= actions(); action += 4) {
                fourDots(known, action, weights, scores);
            }
        }
        for (; action < actions(); action++) {
            scores[action] = dot(action, weights);
        }
    }

    /** Four sums do not depend on each other, so their additions run in parallel. */
    private void fourDots(Entries known, int action, float[] weights, double[] scores) {
        int[] indices = known.indices;
        float[] values = known.values;
        int a = rowStarts[action];
        int b = rowStarts[action + 1];
        int c = rowStarts[action + 2];
        int d = rowStarts[action + 3];
        int common = Math.min(Math.min(b - a, c - b), Math.min(d - c, rowStarts[action + 4] - d));
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
        scores[action] = dot(known, action, common, sumA, weights);
        scores[action + 1] = dot(known, action + 1, common, sumB, weights);
        scores[action + 2] = dot(known, action + 2, common, sumC, weights);
        scores[action + 3] = dot(known, action + 3, common, sumD, weights);
    }

    /** Adds {@code factor} · φ(x, action) to {@code target}. */
    public void addTo(int action, float factor, float[] target) {
        Entries known = entries();
        for (int i = rowStarts[action]; i < rowStarts[action + 1]; i++) {
            target[known.indices[i]] += factor * known.values[i];
        }
    }

    private int size() {
        return rowStarts[rowStarts.length - 1];
    }

    /** Where the entries of an action start; entry {@code rowStart(actions())} is the end. */
    public int rowStart(int action) {
        return rowStarts[action];
    }

    public int index(int entry) {
        return entries().indices[entry];
    }

    public float value(int entry) {
        return entries().values[entry];
    }

    /** No entry has a larger absolute value. If it is above 10<sup>15</sup>, an entry has it. */
    public float maxAbsoluteValue() {
        return maxAbsoluteValue;
    }

    /** The entries of one action by ascending index, with the values of equal indices added. */
    public SparseVector row(int action) {
        int[] indices = entries().indices;
        float[] values = entries().values;
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
        return 4L * (rowStarts.length + 2L * size());
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
        if ((double) maxAbsoluteValue * size() <= norm) {
            return true;
        }
        float[] values = entries().values;
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
        int[] indices = entries().indices;
        float[] values = entries().values;
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
                && Arrays.equals(entries().indices, that.entries().indices)
                && Arrays.equals(entries().values, that.entries().values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(entries().indices) + Arrays.hashCode(entries().values);
    }

    /** Contains sizes only: feature values are user data and must not be logged. */
    @Override
    public String toString() {
        return "ActionFeatures[" + actions() + " actions, " + size() + " entries]";
    }
}
