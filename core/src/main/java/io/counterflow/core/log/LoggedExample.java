package io.counterflow.core.log;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;

/**
 * An impression whose reward is known: (x, a, p, r) of the paper, and the version that logged it.
 *
 * @param allowed the actions that could be chosen
 * @param action the action that was chosen, from 0
 * @param propensity probability with which the logging policy chose it, in (0, 1]
 * @param reward its reward, in [0, 1]
 * @param policyVersion the logging policy's version
 */
public record LoggedExample(
        Features features,
        AllowedActions allowed,
        int action,
        double propensity,
        double reward,
        long policyVersion) {

    public LoggedExample {
        Require.atLeast(0, action, "action");
        if (features instanceof ActionFeatures phi) {
            allowed.requireWithin(phi.actions());
            if (action >= phi.actions()) {
                throw new IllegalArgumentException(
                        "action must be below %d, the number of actions, got %d"
                                .formatted(phi.actions(), action));
            }
        }
        if (!allowed.contains(action)) {
            throw new IllegalArgumentException(
                    "the chosen action must be one of those allowed, got " + action);
        }
        Require.propensity(propensity);
        Require.reward(reward);
    }

    /** An example of a decision among all actions. */
    public LoggedExample(
            Features features, int action, double propensity, double reward, long policyVersion) {
        this(features, AllowedActions.ALL, action, propensity, reward, policyVersion);
    }

    /** The same decision with another propensity. */
    public LoggedExample withPropensity(double other) {
        return new LoggedExample(features, allowed, action, other, reward, policyVersion);
    }
}
