package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One vector of 2<sup>bits</sup> weights for hashed features of context and actions. It has no
 * biases: the id of an action is a feature. A model whose weights are all zero has no array.
 */
public final class HashedModel implements LinearModel {

    private final int bits;
    private final float @Nullable [] weights; // null if all are zero

    private HashedModel(int bits) {
        Require.within(1, 30, bits, "bits");
        this.bits = bits;
        this.weights = null;
    }

    /**
     * @param weights 2<sup>bits</sup> finite weights. Copied.
     */
    public HashedModel(int bits, float[] weights) {
        Require.within(1, 30, bits, "bits");
        if (weights.length != 1 << bits) {
            throw new IllegalArgumentException(
                    "a hashed model of %d bits needs %d weights, got %d"
                            .formatted(bits, 1 << bits, weights.length));
        }
        Finite.require(weights, "weight");
        this.bits = bits;
        this.weights = Finite.isZero(weights) ? null : weights.clone();
    }

    /** All weights zero. */
    public static HashedModel zeros(int bits) {
        return new HashedModel(bits);
    }

    /** The binary logarithm of the number of weights. */
    public int bits() {
        return bits;
    }

    /** The weights; a copy. */
    public float[] weights() {
        return weights == null ? new float[1 << bits] : weights.clone();
    }

    public float weight(int index) {
        return weights == null ? 0f : weights[index];
    }

    /** Whether all weights are zero: the uniform policy. */
    public boolean isZero() {
        return weights == null;
    }

    @Override
    public int actionCount(Features features) {
        return featuresOf(features).actions();
    }

    @Override
    public void scores(Features features, double[] scores) {
        scores(featuresOf(features), scores);
    }

    private void scores(ActionFeatures phi, double[] scores) {
        if (weights == null) {
            Arrays.fill(scores, 0, phi.actions(), 0.0);
        } else {
            phi.dots(weights, scores);
        }
    }

    /** {@inheritDoc} The features of other actions are not read. */
    @Override
    public void scores(Features features, AllowedActions allowed, double[] scores) {
        ActionFeatures phi = featuresOf(features);
        if (allowed.isAll()) {
            scores(phi, scores);
            return;
        }
        int kept = 0;
        for (int action = 0; action < phi.actions(); action++) {
            if (allowed.contains(action)) {
                scores[kept++] = score(phi, action);
            }
        }
    }

    private double score(ActionFeatures phi, int action) {
        return weights == null ? 0.0 : phi.dot(action, weights);
    }

    private ActionFeatures featuresOf(Features features) {
        if (!(features instanceof ActionFeatures phi)) {
            throw new IllegalArgumentException(
                    "a hashed model needs features of actions, got a context vector");
        }
        if (phi.bits() != bits) {
            throw new IllegalArgumentException(
                    "features are hashed to %d bits but the model has %d"
                            .formatted(phi.bits(), bits));
        }
        return phi;
    }

    @Override
    public long weightCount() {
        return 1L << bits;
    }

    @Override
    public int biasCount() {
        return 0;
    }

    @Override
    public double squaredDistance(LinearModel other) {
        return Finite.squaredDistance(weights(), sameShape(other).weights());
    }

    @Override
    public double squaredBiasDistance(LinearModel other) {
        sameShape(other);
        return 0.0;
    }

    private HashedModel sameShape(LinearModel other) {
        if (other instanceof HashedModel that && that.bits == bits) {
            return that;
        }
        throw new IllegalArgumentException("%s and %s differ in shape".formatted(this, other));
    }

    @Override
    public HashedModel scaled(double inverseTemperature) {
        Require.finite(inverseTemperature, "inverseTemperature");
        return weights == null
                ? this
                : new HashedModel(bits, Finite.scaled(weights, inverseTemperature));
    }

    @Override
    public HashedModel zeros() {
        return zeros(bits);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HashedModel that
                && bits == that.bits
                && Arrays.equals(weights, that.weights);
    }

    @Override
    public int hashCode() {
        return 31 * bits + Arrays.hashCode(weights);
    }

    @Override
    public String toString() {
        return "hashed model of " + bits + " bits";
    }
}
