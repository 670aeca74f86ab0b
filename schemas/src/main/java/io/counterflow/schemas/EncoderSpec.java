package io.counterflow.schemas;

import java.util.List;

/**
 * How named features are hashed into a model's weights.
 *
 * @param bits there are two to this power weights
 * @param interactions namespaces whose features are crossed
 * @param actionIds whether an action's id is a feature
 */
public record EncoderSpec(int bits, List<String> interactions, boolean actionIds) {

    public EncoderSpec {
        if (bits < 1 || bits > 30) {
            throw new IllegalArgumentException("bits must be in [1, 30], got " + bits);
        }
        interactions = List.copyOf(interactions);
    }
}
