package io.counterflow.core.policy;

import io.counterflow.core.features.Features;

/**
 * A policy mixed with the uniform one: (1 − ε) π(a|x) + ε/K, so that no action falls below ε/K.
 *
 * <p>It bounds the importance weights of whatever is judged on its log by K/ε. Raising ε costs
 * reward now and buys better estimates later. Where only some actions are allowed, K counts those.
 *
 * @param policy π
 * @param epsilon ε, in [0, 1]: 0 is π itself, 1 the uniform policy
 */
public record ExplorationFloor(Policy policy, double epsilon) implements Policy {

    public ExplorationFloor {
        if (!(epsilon >= 0.0 && epsilon <= 1.0)) {
            throw new IllegalArgumentException("epsilon must be in [0, 1], got " + epsilon);
        }
    }

    @Override
    public int actionCount(Features features) {
        return policy.actionCount(features);
    }

    @Override
    public void probabilities(Features features, double[] probabilities) {
        policy.probabilities(features, probabilities);
        int n = policy.actionCount(features);
        for (int action = 0; action < n; action++) {
            probabilities[action] = mixed(probabilities[action], epsilon, n);
        }
    }

    @Override
    public void probabilities(Features features, AllowedActions allowed, double[] probabilities) {
        policy.probabilities(features, allowed, probabilities);
        for (int action = 0; action < allowed.actions(); action++) {
            if (allowed.contains(action)) {
                probabilities[action] = mixed(probabilities[action], epsilon, allowed.count());
            }
        }
    }

    /** (1 − ε) p + ε/n. */
    static double mixed(double probability, double epsilon, int n) {
        return Math.min(
                1.0, (1.0 - epsilon) * probability + epsilon / n); // never above 1 by rounding
    }
}
