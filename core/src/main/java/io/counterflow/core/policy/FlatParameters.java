package io.counterflow.core.policy;

import java.util.Arrays;

/** Parameters of a model as one array: weights action by action, then biases. */
public final class FlatParameters {

    private FlatParameters() {}

    /** The parameters of a model, as a new array. */
    public static float[] of(LinearModel model) {
        if (model instanceof HashedModel hashed) {
            return hashed.weights();
        }
        DenseModel dense = (DenseModel) model;
        int dimension = dense.dimension();
        float[] flat = new float[dense.actions() * dimension + dense.actions()];
        for (int action = 0; action < dense.actions(); action++) {
            System.arraycopy(dense.weights(action), 0, flat, action * dimension, dimension);
        }
        int weights = dense.actions() * dimension;
        System.arraycopy(dense.biases(), 0, flat, weights, dense.actions());
        return flat;
    }

    /** A model with these parameters and the shape of another model. */
    public static LinearModel toModel(LinearModel shape, float[] flat) {
        long expected = shape.weightCount() + shape.biasCount();
        if (flat.length != expected) {
            throw new IllegalArgumentException(
                    "%s has %d parameters, got %d".formatted(shape, expected, flat.length));
        }
        if (shape instanceof HashedModel hashed) {
            return new HashedModel(hashed.bits(), flat);
        }
        DenseModel dense = (DenseModel) shape;
        int dimension = dense.dimension();
        float[][] weights = new float[dense.actions()][];
        for (int action = 0; action < weights.length; action++) {
            int from = action * dimension;
            weights[action] = Arrays.copyOfRange(flat, from, from + dimension);
        }
        int biases = weights.length * dimension;
        return new DenseModel(weights, Arrays.copyOfRange(flat, biases, flat.length));
    }
}
