package io.counterflow.cli;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.NormBound;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Turns impressions into features of one shape: that of a snapshot's model where there is one,
 * otherwise that of the log's first impression.
 */
final class LogShape {

    private final @Nullable LinearModel model;
    private final EncoderSpec encoderSpec;
    private final HashedEncoder encoder;
    private final @Nullable Integer actions;
    private final List<NamedAction> fixedActions;
    private final @Nullable NormBound normBound;

    private @Nullable Features first;
    private int mostActions = 1;

    /**
     * @param options what the user says of it
     * @param known the snapshot whose model the examples must fit, if there is one
     * @param askedNormBound the norm to scale longer features down to, if the user gave one
     */
    LogShape(ShapeOptions options, Optional<KnownModel> known, @Nullable Double askedNormBound) {
        this.model = known.map(KnownModel::model).orElse(null);
        this.encoderSpec = known.flatMap(KnownModel::encoder).orElseGet(options::encoder);
        this.encoder = new HashedEncoder(encoderSpec);
        this.actions = options.actions();
        this.fixedActions = numbered(actions == null ? 0 : actions);
        this.normBound = normBound(askedNormBound, known);
    }

    /** A snapshot's bound wins: the policy was learned, and is served, with it. */
    private static @Nullable NormBound normBound(
            @Nullable Double asked, Optional<KnownModel> known) {
        OptionalDouble ofSnapshot = known.map(KnownModel::normBound).orElse(OptionalDouble.empty());
        if (ofSnapshot.isEmpty()) {
            return asked == null ? null : new NormBound(asked);
        }
        if (asked != null && asked != ofSnapshot.getAsDouble()) {
            throw new BadInputException(
                    "--norm-bound must be the snapshot's, %s, got %s"
                            .formatted(ofSnapshot.getAsDouble(), asked));
        }
        return new NormBound(ofSnapshot.getAsDouble());
    }

    private static List<NamedAction> numbered(int actions) {
        List<NamedAction> numbered = new ArrayList<>();
        for (int action = 0; action < actions; action++) {
            numbered.add(new NamedAction(Integer.toString(action), NamedFeatures.none()));
        }
        return numbered;
    }

    /** The impression's features; refused where they, or the action, do not fit. */
    Features features(Impression impression) {
        if (impression.context() instanceof Context.Named named
                && named.actions().isEmpty()
                && fixedActions.isEmpty()) {
            throw new IllegalArgumentException(
                    "actions must be given with named features; --actions K numbers them where no"
                            + " line does");
        }
        Features features = impression.features(encoder::encode, fixedActions);
        if (normBound != null) {
            features = normBound.enforce(features);
        }
        int action = impression.choice().action();
        requireSameShape(features);
        requireKnownAction(features, action);
        if (first == null) {
            first = features;
        }
        int shown = Math.max(action + 1, impression.choice().distribution().size());
        mostActions = Math.max(mostActions, shown);
        return features;
    }

    private void requireSameShape(Features features) {
        if (model != null) {
            model.scores(features, new double[model.actionCount(features)]);
        } else if (first instanceof FeatureVector known) {
            if (!(features instanceof FeatureVector x)) {
                throw new IllegalArgumentException(
                        "context must be a vector, as in the log's first impression");
            }
            if (x.dimension() != known.dimension()) {
                throw new IllegalArgumentException(
                        "context must have %d features, as in the log's first impression, got %d"
                                .formatted(known.dimension(), x.dimension()));
            }
        } else if (first != null && features instanceof FeatureVector) {
            throw new IllegalArgumentException(
                    "context must have named features, as in the log's first impression");
        }
    }

    private void requireKnownAction(Features features, int action) {
        int known = Integer.MAX_VALUE;
        if (model != null) {
            known = model.actionCount(features);
        } else if (actions != null && features instanceof FeatureVector) {
            known = actions;
        }
        if (action >= known) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(known, action));
        }
    }

    /** Whether a snapshot, not the log, says what the shape is. */
    boolean isGiven() {
        return model != null;
    }

    /** Whether no impression has been taken yet. */
    boolean isEmpty() {
        return first == null;
    }

    /** A model that fits all impressions so far, all zero. There must have been one. */
    LinearModel zeros() {
        if (model != null) {
            return model.zeros();
        }
        if (first == null) {
            throw new IllegalStateException("no impression has been taken yet");
        }
        return first instanceof FeatureVector x
                ? DenseModel.zeros(actions == null ? mostActions : actions, x.dimension())
                : HashedModel.zeros(encoderSpec.bits());
    }

    /** How named features were hashed; empty for vectors. */
    Optional<EncoderSpec> encoder() {
        return first instanceof FeatureVector ? Optional.empty() : Optional.of(encoderSpec);
    }

    /** The norm that was enforced. */
    OptionalDouble normBound() {
        return normBound == null ? OptionalDouble.empty() : OptionalDouble.of(normBound.value());
    }
}
