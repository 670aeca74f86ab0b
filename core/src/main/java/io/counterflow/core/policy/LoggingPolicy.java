package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;

/** A policy that decides: it draws an action and states with which probability it did. */
public interface LoggingPolicy {

    /** How many actions there are to choose from, given these features. */
    int actionCount(Features features);

    /**
     * Draws one of the allowed actions, as if the others had not been offered.
     *
     * @param random the random numbers of this event; the same ones give the same decision
     */
    Decision decide(Features features, AllowedActions allowed, EventRandom random);

    /** Draws one of all actions. */
    default Decision decide(Features features, EventRandom random) {
        return decide(features, AllowedActions.all(actionCount(features)), random);
    }
}
