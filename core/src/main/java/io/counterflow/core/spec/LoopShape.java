package io.counterflow.core.spec;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The actions and features of a loop, which fix the shape of its models. */
public sealed interface LoopShape permits LoopShape.Dense, LoopShape.Hashed {

    /** Maximum number of actions in a fixed list. */
    int MAX_ACTIONS = 10_000;

    /** Maximum number of weights of a model: 256 MiB of floats. */
    int MAX_WEIGHTS = 1 << 26;

    /** Maximum number of coordinates of a context. */
    int MAX_FEATURES = 1_000_000;

    /** Maximum number of bits of hashed features, from the maximum number of weights. */
    int MAX_BITS = 26;

    /**
     * The shape of a spec.
     *
     * @throws IllegalArgumentException if settings contradict each other; the message names one of
     *     them
     */
    static LoopShape of(
            OptionalLong features,
            OptionalLong bits,
            List<NamedAction> actions,
            List<Interaction> interactions,
            boolean actionIds) {
        if (features.isPresent() == bits.isPresent()) {
            throw new IllegalArgumentException(
                    "features must be given for context vectors, or bits for named features, got "
                            + (bits.isPresent() ? "both" : "neither"));
        }
        if (bits.isPresent()) {
            return new Hashed((int) bits.getAsLong(), interactions, actionIds, actions);
        }
        Require.that(
                interactions.equals(EncoderSpec.ALL_INTERACTIONS) && actionIds,
                "%s must be absent where contexts are vectors: give bits for named features",
                actionIds ? "interactions" : "actionIds");
        for (NamedAction action : actions) {
            if (!action.features().entries().isEmpty()) {
                throw new IllegalArgumentException(
                        "actions must be ids alone where contexts are vectors: give bits for named"
                                + " features");
            }
        }
        return new Dense(
                actions.stream().map(NamedAction::id).toList(), (int) features.getAsLong());
    }

    /** Actions without features. */
    static List<NamedAction> unnamed(List<String> ids) {
        return ids.stream().map(id -> new NamedAction(id, NamedFeatures.none())).toList();
    }

    /** The ids of the fixed list of actions, in order; empty if every request has its own. */
    List<String> actionIds();

    /** The fixed list with its features, for requests with named features and without actions. */
    List<NamedAction> fixedActions();

    /** How named features are hashed; empty if contexts are vectors. */
    Optional<EncoderSpec> encoder();

    /** Number of parameters of a model of this shape, including biases. */
    long parameterCount();

    /** The model of this shape with all parameters zero: the uniform policy. */
    LinearModel zeros();

    /** Whether a model and its encoder have this shape. */
    boolean fits(LinearModel model, Optional<EncoderSpec> modelEncoder);

    /**
     * A fixed list of actions and a context vector.
     *
     * @param actions names of the actions, in the order of their numbers in impressions
     * @param features number of coordinates of a context
     */
    record Dense(List<String> actions, int features) implements LoopShape {

        public Dense {
            actions = List.copyOf(actions);
            Require.atLeast(1, actions.size(), "actions");
            requireIds(actions, "actions[%d]");
            Require.within(1, MAX_FEATURES, features, "features");
            long weights = (long) actions.size() * features;
            if (weights > MAX_WEIGHTS) {
                throw new IllegalArgumentException(
                        "actions times features must be at most %d, got %d x %d = %d"
                                .formatted(MAX_WEIGHTS, actions.size(), features, weights));
            }
        }

        @Override
        public List<String> actionIds() {
            return actions;
        }

        @Override
        public List<NamedAction> fixedActions() {
            return List.of();
        }

        @Override
        public Optional<EncoderSpec> encoder() {
            return Optional.empty();
        }

        @Override
        public long parameterCount() {
            return (features + 1L) * actions.size();
        }

        @Override
        public DenseModel zeros() {
            return DenseModel.zeros(actions.size(), features);
        }

        @Override
        public boolean fits(LinearModel model, Optional<EncoderSpec> modelEncoder) {
            return model instanceof DenseModel dense
                    && dense.actions() == actions.size()
                    && dense.dimension() == features;
        }

        @Override
        public String toString() {
            return "%d actions x %d features".formatted(actions.size(), features);
        }
    }

    /**
     * Named features of context and actions, hashed.
     *
     * @param bits there are two to this power weights
     * @param interactions namespaces whose features are multiplied. Without any, the context has no
     *     effect
     * @param idFeatures whether an action's id is a feature of it
     * @param fixedActions the actions for requests without actions; empty if every request has its
     *     own
     */
    record Hashed(
            int bits,
            List<Interaction> interactions,
            boolean idFeatures,
            List<NamedAction> fixedActions)
            implements LoopShape {

        private static final int MAX_INTERACTIONS = 1_000;

        public Hashed {
            interactions = List.copyOf(interactions);
            fixedActions = List.copyOf(fixedActions);
            Require.within(1, MAX_BITS, bits, "bits");
            Require.atMost(MAX_INTERACTIONS, interactions.size(), "interactions");
            requireIds(fixedActions.stream().map(NamedAction::id).toList(), "actions[%d].id");
            if (!fixedActions.isEmpty()) {
                requireEncodable(new EncoderSpec(bits, interactions, idFeatures), fixedActions);
            }
        }

        /** If an action cannot be encoded, every request of the loop would be refused. */
        private static void requireEncodable(EncoderSpec spec, List<NamedAction> actions) {
            try {
                new HashedEncoder(spec).encode(NamedFeatures.none(), actions);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "actions must have features that can be hashed: " + e.getMessage(), e);
            }
        }

        @Override
        public List<String> actionIds() {
            return fixedActions.stream().map(NamedAction::id).toList();
        }

        @Override
        public Optional<EncoderSpec> encoder() {
            return Optional.of(new EncoderSpec(bits, interactions, idFeatures));
        }

        @Override
        public long parameterCount() {
            return 1L << bits;
        }

        @Override
        public HashedModel zeros() {
            return HashedModel.zeros(bits);
        }

        @Override
        public boolean fits(LinearModel model, Optional<EncoderSpec> modelEncoder) {
            return model instanceof HashedModel && modelEncoder.equals(encoder());
        }

        @Override
        public String toString() {
            return "%d bits, interactions %s, actionIds %s"
                    .formatted(bits, interactions, idFeatures);
        }
    }

    private static void requireIds(List<String> ids, String field) {
        Require.atMost(MAX_ACTIONS, ids.size(), "actions");
        Set<String> seen = new HashSet<>();
        for (int a = 0; a < ids.size(); a++) {
            if (ids.get(a).isEmpty()) {
                throw new IllegalArgumentException(field.formatted(a) + " must not be empty");
            }
            if (!seen.add(ids.get(a))) {
                throw new IllegalArgumentException(
                        "%s must be unique, got \"%s\" again"
                                .formatted(field.formatted(a), ids.get(a)));
            }
        }
    }
}
