package io.counterflow.core.policy;

import io.counterflow.core.features.Features;

/**
 * Linear scores μ · φ(x, a) of the actions of a request. Immutable.
 *
 * <p>Two kinds share this interface: {@link DenseModel} for a fixed list of actions, {@link
 * HashedModel} for actions described by named features.
 */
public sealed interface LinearModel permits DenseModel, HashedModel {

    /**
     * How many actions there are to choose from, given these features.
     *
     * @throws IllegalArgumentException if they do not fit this model
     */
    int actionCount(Features features);

    /**
     * Computes the score of every action.
     *
     * @param features features that fit this model, as for {@link #actionCount}
     * @param scores at least {@code actionCount(features)} long. Its first entries are overwritten.
     */
    void scores(Features features, double[] scores);

    /**
     * Computes the scores of the allowed actions only, in order, into the start of the array.
     *
     * @param scores at least {@code actionCount(features)} long. Overwritten.
     */
    default void scores(Features features, AllowedActions allowed, double[] scores) {
        scores(features, scores);
        allowed.gather(scores, actionCount(features));
    }

    /** Number of weights without biases: D of the theory if biases are fixed. */
    long weightCount();

    /** Number of biases; 0 if the model has none. */
    int biasCount();

    /** Σ (w − w')² over the weights, without biases. */
    double squaredDistance(LinearModel other);

    /** Σ (b − b')² over the biases. */
    double squaredBiasDistance(LinearModel other);

    /**
     * The same model with weights and biases multiplied by an inverse temperature; a negative one
     * reverses all preferences.
     */
    LinearModel scaled(double inverseTemperature);

    /** The model of the same shape with all weights and biases zero: the uniform policy. */
    LinearModel zeros();
}
