package io.counterflow.schemas.snapshot;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.schemas.record.DenseWeights;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts models to bytes and back without changing a bit. */
final class ModelConversion {

    private ModelConversion() {}

    static Object toWeights(LinearModel model, Optional<EncoderSpec> encoder) {
        if (model instanceof HashedModel hashed) {
            return toHashedWeights(hashed, encoder.orElseThrow());
        }
        DenseModel dense = (DenseModel) model;
        int features = dense.dimension();
        float[] weights = Arrays.copyOf(FlatParameters.of(dense), dense.actions() * features);
        return new DenseWeights(
                dense.actions(),
                features,
                PackedNumbers.pack(weights),
                PackedNumbers.pack(dense.biases()));
    }

    private static HashedWeights toHashedWeights(HashedModel model, EncoderSpec encoder) {
        float[] weights = model.weights();
        int[] indices = new int[weights.length];
        float[] values = new float[weights.length];
        int n = 0;
        for (int i = 0; i < weights.length; i++) {
            if (Float.floatToRawIntBits(weights[i]) != 0) { // by its bits: -0.0 is kept
                indices[n] = i;
                values[n++] = weights[i];
            }
        }
        return new HashedWeights(
                model.bits(),
                PackedNumbers.pack(Arrays.copyOf(indices, n)),
                PackedNumbers.pack(Arrays.copyOf(values, n)),
                encoder.interactions().stream().map(Interaction::toString).toList(),
                encoder.actionIds());
    }

    static Optional<EncoderSpec> encoderOf(@Nullable Object weights) {
        return weights instanceof HashedWeights hashed
                ? Optional.of(
                        new EncoderSpec(
                                hashed.getBits(),
                                hashed.getInteractions().stream().map(Interaction::parse).toList(),
                                hashed.getActionIds()))
                : Optional.empty();
    }

    static LinearModel toModel(@Nullable Object weights) {
        if (weights instanceof HashedWeights hashed) {
            return hashedModel(
                    hashed.getBits(),
                    PackedNumbers.ints("model.indices", hashed.getIndices()),
                    PackedNumbers.floats("model.values", hashed.getValues()));
        }
        if (weights instanceof DenseWeights dense) {
            return denseModel(dense);
        }
        throw new IllegalArgumentException("model must be given, got none");
    }

    private static DenseModel denseModel(DenseWeights dense) {
        int actions = dense.getActions();
        int features = dense.getFeatures();
        float[] weights = PackedNumbers.floats("model.weights", dense.getWeights());
        float[] biases = PackedNumbers.floats("model.biases", dense.getBiases());
        if (actions < 1 || features < 0 || biases.length != actions) {
            throw new IllegalArgumentException(
                    "model must have a bias for each of %d actions, got %d"
                            .formatted(actions, biases.length));
        }
        if (weights.length != (long) actions * features) {
            throw new IllegalArgumentException(
                    "model must have %d x %d weights, got %d"
                            .formatted(actions, features, weights.length));
        }
        float[][] rows = new float[actions][];
        for (int action = 0; action < actions; action++) {
            rows[action] = Arrays.copyOfRange(weights, action * features, (action + 1) * features);
        }
        return new DenseModel(rows, biases);
    }

    /**
     * @param indices strictly ascending
     */
    static HashedModel hashedModel(int bits, int[] indices, float[] values) {
        requireMemory(bits);
        if (indices.length != values.length) {
            throw new IllegalArgumentException(
                    "model must have an index for each weight, got %d for %d"
                            .formatted(indices.length, values.length));
        }
        if (indices.length == 0) {
            return HashedModel.zeros(bits);
        }
        float[] weights = new float[1 << bits];
        int previous = -1;
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] <= previous || indices[i] >= weights.length) {
                throw new IllegalArgumentException(
                        "model.indices must ascend strictly within [0, %d), got %d after %d"
                                .formatted(weights.length, indices[i], previous));
            }
            previous = indices[i];
            weights[previous] = values[i];
        }
        return new HashedModel(bits, weights);
    }

    static void requireBits(int bits) {
        Require.within(1, 30, bits, "bits");
    }

    /**
     * A few bytes can declare gigabytes of zeros, so models that do not fit in the heap are
     * refused.
     */
    static void requireMemory(int bits) {
        requireBits(bits);
        long twoCopies = (2L * Float.BYTES) << bits; // this one, and the copy of the model
        if (twoCopies > Runtime.getRuntime().maxMemory() / 2) {
            throw new IllegalArgumentException(
                    "bits must be small enough for this JVM's heap of %d MiB, got %d"
                            .formatted(Runtime.getRuntime().maxMemory() >> 20, bits));
        }
    }
}
