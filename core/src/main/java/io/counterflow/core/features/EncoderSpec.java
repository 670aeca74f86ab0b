package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * How named features are hashed. A policy is valid only with its encoder: features that are encoded
 * differently address different weights.
 *
 * @param bits indices are below 2<sup>bits</sup>. With more bits, fewer names share a weight and
 *     the model is larger
 * @param interactions pairs of namespaces to multiply. Without any, the context has no effect
 * @param actionIds whether an action's id is a feature of it, in the namespace {@code id}, so that
 *     actions without other features differ
 * @param maxFeaturesPerAction a request is refused if one of its actions has more features than
 *     this, including interactions
 */
public record EncoderSpec(
        int bits, List<Interaction> interactions, boolean actionIds, int maxFeaturesPerAction) {

    /** Every namespace of the context with every namespace of the actions. */
    public static final List<Interaction> ALL_INTERACTIONS =
            List.of(new Interaction(Interaction.ANY, Interaction.ANY));

    public static final int DEFAULT_BITS = 18;
    public static final int DEFAULT_MAX_FEATURES_PER_ACTION = 1 << 14;

    private static final int MAX_FEATURES_PER_ACTION_LIMIT = 1 << 20;

    public EncoderSpec {
        Require.within(1, 30, bits, "bits");
        Require.within(
                1, MAX_FEATURES_PER_ACTION_LIMIT, maxFeaturesPerAction, "maxFeaturesPerAction");
        interactions = List.copyOf(interactions);
    }

    /** A spec with the default limit of features. */
    public EncoderSpec(int bits, List<Interaction> interactions, boolean actionIds) {
        this(bits, interactions, actionIds, DEFAULT_MAX_FEATURES_PER_ACTION);
    }

    /** A spec with all interactions and the ids of the actions. */
    public static EncoderSpec ofBits(int bits) {
        return new EncoderSpec(bits, ALL_INTERACTIONS, true);
    }

    /** Whether the features of these two namespaces are multiplied. */
    public boolean interact(String contextNamespace, String actionNamespace) {
        for (Interaction interaction : interactions) {
            if (interaction.covers(contextNamespace, actionNamespace)) {
                return true;
            }
        }
        return false;
    }
}
