package io.counterflow.core.log;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.numeric.Require;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Converts the features of a request to the features that a model scores. Serving, learning,
 * training and audits all use this class, so they see the same numbers.
 *
 * <p>Named features are hashed, vectors must have the loop's dimension, and features longer than
 * the norm bound are scaled down to it. An {@link IllegalArgumentException} says what is wrong and
 * never quotes a feature.
 *
 * <p>An assembly reuses its buffers. Not thread safe.
 */
public final class FeatureAssembly {

    /** Longer features could make scores exceed the range of a float and break the loop. */
    private static final double MAX_NORM = 1e15;

    private final OptionalInt dimension;
    private final Optional<HashedEncoder> encoder;
    private final OptionalDouble normBound;

    private FeatureAssembly(
            OptionalInt dimension, Optional<HashedEncoder> encoder, OptionalDouble normBound) {
        this.dimension = dimension;
        this.encoder = encoder;
        this.normBound = normBound;
    }

    /** For contexts that are vectors of this dimension. */
    public static FeatureAssembly ofVectors(int dimension, OptionalDouble normBound) {
        return new FeatureAssembly(OptionalInt.of(dimension), Optional.empty(), normBound);
    }

    /** For features by name, with the largest limit on the features of a request. */
    public static FeatureAssembly ofNames(EncoderSpec encoder, OptionalDouble normBound) {
        return ofNames(new HashedEncoder(encoder), normBound);
    }

    /** For features by name. */
    public static FeatureAssembly ofNames(HashedEncoder encoder, OptionalDouble normBound) {
        return new FeatureAssembly(OptionalInt.empty(), Optional.of(encoder), normBound);
    }

    /**
     * The features of a request.
     *
     * @param fixedActions the actions for requests with named features that have none; may be empty
     */
    public Features features(Context context, List<NamedAction> fixedActions) {
        Features features =
                context instanceof Context.Named named
                        ? hashed(named, fixedActions)
                        : vector(((Context.Vector) context).features());
        if (normBound.isPresent()) {
            features = features.boundedBy(normBound.getAsDouble());
        }
        boolean bounded = normBound.isPresent() && normBound.getAsDouble() <= MAX_NORM;
        Require.that(
                (bounded || features.within(MAX_NORM)) && hasNoLargeEntry(features),
                "context must have features of a norm up to 1e15");
        return features;
    }

    /** Values with the same hash may cancel in the norm, but scores add them one by one. */
    private static boolean hasNoLargeEntry(Features features) {
        return !(features instanceof ActionFeatures phi) || phi.maxAbsoluteValue() <= MAX_NORM;
    }

    private Features hashed(Context.Named named, List<NamedAction> fixedActions) {
        if (encoder.isEmpty()) {
            throw new IllegalArgumentException(
                    "context must be a vector of %d features, got named features"
                            .formatted(dimension.orElseThrow()));
        }
        List<NamedAction> actions = named.actions().isEmpty() ? fixedActions : named.actions();
        Require.that(
                !actions.isEmpty(),
                "actions must be given with named features, because the loop has no fixed list");
        return encoder.get().encode(named.features(), actions);
    }

    private FeatureVector vector(FeatureVector vector) {
        if (dimension.isEmpty()) {
            throw new IllegalArgumentException(
                    "context must have named features, got a vector of " + vector.dimension());
        }
        if (dimension.getAsInt() != vector.dimension()) {
            throw new IllegalArgumentException(
                    "context must have %d features, got %d"
                            .formatted(dimension.getAsInt(), vector.dimension()));
        }
        return vector;
    }
}
