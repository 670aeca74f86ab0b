package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import java.util.Arrays;

/**
 * The features φ(x, a) of one action as positions in the array of parameters, with their values.
 * Its arrays are reused for the next example.
 *
 * <p>With a fixed list of actions, the features are the context in the block of the action and,
 * after all blocks, 1 at the bias of the action. Values of equal positions are added, so each
 * position occurs once. Zeros are left out.
 */
final class ChosenFeatures {

    private final int actions; // 0 for hashed features
    private final int dimension;
    private int[] positions = new int[64];
    private double[] values = new double[64];
    private int[] table = new int[128]; // of positions, as entry + 1; its length is a power of two
    private int size;
    private double squaredNorm;

    /**
     * @param shape a model with the kind and size of the features
     */
    ChosenFeatures(LinearModel shape) {
        boolean dense = shape instanceof DenseModel;
        this.actions = dense ? ((DenseModel) shape).actions() : 0;
        this.dimension = dense ? ((DenseModel) shape).dimension() : 0;
    }

    /** Reads the features of an action. They must fit the shape. */
    void read(Features features, int action) {
        size = 0;
        if (features instanceof ActionFeatures phi) {
            readRow(phi, action);
        } else if (features instanceof DenseVector dense) {
            float[] x = dense.values();
            reserve(x.length + 1);
            for (int j = 0; j < x.length; j++) {
                append(action * dimension + j, x[j]);
            }
        } else {
            SparseVector sparse = (SparseVector) features;
            reserve(sparse.entries() + 1);
            for (int i = 0; i < sparse.entries(); i++) {
                append(action * dimension + sparse.index(i), sparse.value(i));
            }
        }
        squaredNorm = 0.0;
        for (int i = 0; i < size; i++) {
            squaredNorm += values[i] * values[i];
        }
        if (features instanceof FeatureVector) {
            append(actions * dimension + action, 1.0);
        }
    }

    private void readRow(ActionFeatures phi, int action) {
        int end = phi.rowStart(action + 1);
        reserve(end - phi.rowStart(action));
        Arrays.fill(table, 0);
        for (int i = phi.rowStart(action); i < end; i++) {
            merge(phi.index(i), phi.value(i));
        }
    }

    /** Makes room, with a table that is at most half full. */
    private void reserve(int entries) {
        if (entries > positions.length) {
            int length = Integer.highestOneBit(entries - 1) << 1;
            positions = new int[length];
            values = new double[length];
            table = new int[2 * length];
        }
    }

    private void merge(int position, float value) {
        int mask = table.length - 1;
        int slot = ((position * 0x9e3779b9) >>> 7) & mask; // golden ratio: spreads neighbours
        while (table[slot] != 0) {
            int entry = table[slot] - 1;
            if (positions[entry] == position) {
                values[entry] += value;
                return;
            }
            slot = (slot + 1) & mask;
        }
        if (value != 0.0f) {
            table[slot] = size + 1;
            append(position, value);
        }
    }

    private void append(int position, double value) {
        if (value != 0.0) {
            positions[size] = position;
            values[size++] = value;
        }
    }

    int size() {
        return size;
    }

    int position(int entry) {
        return positions[entry];
    }

    /** May be 0 if the values of two names with the same hash cancel. */
    double value(int entry) {
        return values[entry];
    }

    /** ‖φ(x, a)‖², without the bias. */
    double squaredNorm() {
        return squaredNorm;
    }
}
