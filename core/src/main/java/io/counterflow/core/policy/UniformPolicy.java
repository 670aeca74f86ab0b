package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import java.util.Arrays;

/**
 * Every action with the same probability.
 *
 * @param actions length of the loop's fixed list of actions; requests that bring their own actions
 *     are as long as they are
 */
public record UniformPolicy(int actions) implements Policy {

    public UniformPolicy {
        if (actions < 1) {
            throw new IllegalArgumentException("actions must be at least 1, got " + actions);
        }
    }

    @Override
    public int actionCount(Features features) {
        return features instanceof ActionFeatures phi ? phi.actions() : actions;
    }

    @Override
    public void probabilities(Features features, double[] probabilities) {
        int n = actionCount(features);
        Arrays.fill(probabilities, 0, n, 1.0 / n);
    }
}
