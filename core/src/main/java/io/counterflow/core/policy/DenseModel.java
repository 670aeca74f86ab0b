package io.counterflow.core.policy;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A weight vector and a bias for each action of a fixed list: the model of the paper's experiments.
 *
 * <p>The score of action a is b<sub>a</sub> + Σ<sub>j</sub> x<sub>j</sub> w<sub>a,j</sub>, summed
 * in the order of j and in float. A model whose weights are all zero has no rows of them.
 */
public final class DenseModel implements LinearModel {

    private final float @Nullable [][] weights; // null if all are zero
    private final float[] biases;
    private final int dimension;
    private volatile @Nullable DenseScores scorer;

    /**
     * @param weights a row of weights for every action, finite. Copied.
     * @param biases a bias for every action, finite. Copied.
     */
    public DenseModel(float[][] weights, float[] biases) {
        if (weights.length == 0 || weights.length != biases.length) {
            throw new IllegalArgumentException(
                    "a model needs a row of weights and a bias for each action, got %d and %d"
                            .formatted(weights.length, biases.length));
        }
        this.dimension = weights[0].length;
        boolean zero = true;
        for (int action = 0; action < weights.length; action++) {
            if (weights[action].length != dimension) {
                throw new IllegalArgumentException(
                        "weights of action %d have %d features, those of action 0 have %d"
                                .formatted(action, weights[action].length, dimension));
            }
            Finite.require(weights[action], "weight");
            zero &= Finite.isZero(weights[action]);
        }
        Finite.require(biases, "bias");
        this.weights = zero ? null : copyOf(weights);
        this.biases = biases.clone();
    }

    private DenseModel(int actions, int dimension) {
        Require.atLeast(1, actions, "actions");
        Require.atLeast(0, dimension, "dimension");
        this.dimension = dimension;
        this.weights = null;
        this.biases = new float[actions];
    }

    private static float[][] copyOf(float[][] rows) {
        float[][] copy = new float[rows.length][];
        for (int row = 0; row < rows.length; row++) {
            copy[row] = rows[row].clone();
        }
        return copy;
    }

    /** All weights and biases zero. */
    public static DenseModel zeros(int actions, int dimension) {
        return new DenseModel(actions, dimension);
    }

    /** K, the number of actions. */
    public int actions() {
        return biases.length;
    }

    /** Whether all weights are zero; biases may differ. */
    public boolean isZero() {
        return weights == null;
    }

    /** d, the number of features of a context. */
    public int dimension() {
        return dimension;
    }

    /** The weights of one action; a copy. */
    public float[] weights(int action) {
        return weights == null ? new float[dimension] : weights[action].clone();
    }

    /** The biases; a copy. */
    public float[] biases() {
        return biases.clone();
    }

    @Override
    public int actionCount(Features features) {
        contextOf(features);
        return biases.length;
    }

    @Override
    public void scores(Features features, double[] scores) {
        FeatureVector x = contextOf(features);
        if (weights == null) {
            for (int action = 0; action < biases.length; action++) {
                scores[action] = biases[action] + 0.0f; // as in a sum
            }
        } else if (x instanceof DenseVector dense) {
            scorer(weights).scores(dense, scores);
        } else {
            x.dots(weights, biases, scores);
        }
    }

    /** Created when it is needed, because most models are never used for decisions. */
    private DenseScores scorer(float[][] weights) {
        DenseScores known = scorer;
        if (known == null) { // two threads may both create one; they are equal
            known = DenseScores.ofThisMachine(weights, biases);
            scorer = known;
        }
        return known;
    }

    private FeatureVector contextOf(Features features) {
        if (!(features instanceof FeatureVector x)) {
            throw new IllegalArgumentException(
                    "a dense model needs a context vector, got features of actions");
        }
        if (x.dimension() != dimension) {
            throw new IllegalArgumentException(
                    "context has %d features but the model has %d"
                            .formatted(x.dimension(), dimension));
        }
        return x;
    }

    @Override
    public long weightCount() {
        return (long) biases.length * dimension;
    }

    @Override
    public int biasCount() {
        return biases.length;
    }

    @Override
    public double squaredDistance(LinearModel other) {
        DenseModel that = sameShape(other);
        double sum = 0.0;
        for (int action = 0; action < biases.length; action++) {
            sum += Finite.squaredDistance(weights(action), that.weights(action));
        }
        return sum;
    }

    @Override
    public double squaredBiasDistance(LinearModel other) {
        return Finite.squaredDistance(biases, sameShape(other).biases);
    }

    private DenseModel sameShape(LinearModel other) {
        if (other instanceof DenseModel that
                && that.biases.length == biases.length
                && that.dimension == dimension) {
            return that;
        }
        throw new IllegalArgumentException("%s and %s differ in shape".formatted(this, other));
    }

    @Override
    public DenseModel scaled(double inverseTemperature) {
        Require.finite(inverseTemperature, "inverseTemperature");
        if (weights == null && Finite.isZero(biases)) {
            return this;
        }
        float[][] scaled = new float[biases.length][];
        for (int action = 0; action < scaled.length; action++) {
            scaled[action] = Finite.scaled(weights(action), inverseTemperature);
        }
        return new DenseModel(scaled, Finite.scaled(biases, inverseTemperature));
    }

    @Override
    public DenseModel zeros() {
        return zeros(biases.length, dimension);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DenseModel that
                && dimension == that.dimension
                && Arrays.deepEquals(weights, that.weights)
                && Arrays.equals(biases, that.biases);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.deepHashCode(weights) + Arrays.hashCode(biases);
    }

    @Override
    public String toString() {
        return "dense model of " + biases.length + " actions x " + dimension + " features";
    }
}
