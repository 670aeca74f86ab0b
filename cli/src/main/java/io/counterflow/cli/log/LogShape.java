package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.spec.LoopShape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Turns impressions into features of one shape: that of the snapshot's model if there is one,
 * otherwise that of the first impression.
 */
final class LogShape {

    private final @Nullable LinearModel model;
    private final EncoderSpec encoderSpec;
    private final @Nullable Integer actions;
    private final List<NamedAction> fixedActions;
    private final OptionalDouble normBound;

    private @Nullable FeatureAssembly assembly; // once the kind of features is known
    private @Nullable Features first;
    private int maxActions = 1;

    /**
     * @param known the snapshot that the examples must match, if any
     */
    LogShape(LogOptions options, Optional<KnownModel> known) {
        this.model = known.map(KnownModel::model).orElse(null);
        this.encoderSpec = known.flatMap(it -> it.snapshot().encoder()).orElseGet(options::encoder);
        this.actions = options.actions;
        this.fixedActions = numbered(actions == null ? 0 : actions);
        this.normBound = normBound(options.normBound, known);
    }

    /** The snapshot's bound has precedence, because the policy was learned with it. */
    private static OptionalDouble normBound(@Nullable Double asked, Optional<KnownModel> known) {
        OptionalDouble ofSnapshot =
                known.map(it -> it.snapshot().normBound()).orElse(OptionalDouble.empty());
        if (ofSnapshot.isEmpty()) {
            return asked == null ? OptionalDouble.empty() : OptionalDouble.of(asked);
        }
        if (asked != null && asked != ofSnapshot.getAsDouble()) {
            throw new BadInputException(
                    "--norm-bound must be the snapshot's, %s, got %s"
                            .formatted(ofSnapshot.getAsDouble(), asked));
        }
        return ofSnapshot;
    }

    private static List<NamedAction> numbered(int actions) {
        return IntStream.range(0, actions)
                .mapToObj(it -> new NamedAction(Integer.toString(it), NamedFeatures.none()))
                .toList();
    }

    /** The features of an impression; refuses features and actions that do not match. */
    Features features(Impression impression) {
        Context context = impression.context();
        if (context instanceof Context.Named named
                && named.actions().isEmpty()
                && fixedActions.isEmpty()) {
            throw new IllegalArgumentException(
                    "actions must be given with named features; --actions K numbers them if no line"
                            + " has them");
        }
        requireSameKind(context);
        FeatureAssembly known = assembly == null ? assembly(context) : assembly;
        Features features = known.features(context, fixedActions);
        Choice choice = impression.choice();
        requireKnownActions(features, choice);
        if (first == null) { // only a valid impression determines the shape
            assembly = known;
            first = features;
        }
        int[] excluded = choice.allowed().excluded();
        int highest = excluded.length == 0 ? 0 : excluded[excluded.length - 1];
        int shown = Math.max(Math.max(choice.action(), highest) + 1, choice.distribution().size());
        maxActions = Math.max(maxActions, shown);
        return features;
    }

    private FeatureAssembly assembly(Context context) {
        return context instanceof Context.Vector vector
                ? FeatureAssembly.ofVectors(
                        model instanceof DenseModel dense
                                ? dense.dimension()
                                : vector.features().dimension(),
                        normBound)
                : FeatureAssembly.ofNames(encoderSpec, normBound);
    }

    private void requireSameKind(Context context) {
        boolean vector = context instanceof Context.Vector;
        String kind = vector ? "have named features" : "be a vector"; // the other kind
        if (model != null && vector != (model instanceof DenseModel)) {
            throw new IllegalArgumentException(
                    "context must %s, as the snapshot's model is %s"
                            .formatted(kind, vector ? "hashed" : "dense"));
        }
        if (first != null && vector != (first instanceof FeatureVector)) {
            throw new IllegalArgumentException(
                    "context must %s, as in the log's first impression".formatted(kind));
        }
    }

    private void requireKnownActions(Features features, Choice choice) {
        int known = LoopShape.MAX_ACTIONS; // the model has a row for each
        if (model != null) {
            known = model.actionCount(features);
        } else if (features instanceof ActionFeatures phi) {
            known = phi.actions();
        } else if (actions != null) {
            known = actions;
        }
        if (choice.action() >= known) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(known, choice.action()));
        }
        choice.allowed().requireWithin(known);
    }

    /** Whether a snapshot determines the shape. */
    boolean isGiven() {
        return model != null;
    }

    /** Whether there was no impression yet. */
    boolean isEmpty() {
        return first == null;
    }

    /** A zero model that matches all impressions so far, of which there must be one. */
    LinearModel zeros() {
        if (model != null) {
            return model.zeros();
        }
        if (first == null) {
            throw new IllegalStateException("there was no impression yet");
        }
        return first instanceof FeatureVector x
                ? DenseModel.zeros(actions == null ? maxActions : actions, x.dimension())
                : HashedModel.zeros(encoderSpec.bits());
    }

    /** The encoder of named features; empty for vectors. */
    Optional<EncoderSpec> encoder() {
        return first instanceof FeatureVector ? Optional.empty() : Optional.of(encoderSpec);
    }

    OptionalDouble normBound() {
        return normBound;
    }
}
