package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;

/** A stochastic policy π: a distribution over actions, given features. Immutable. */
public interface Policy extends LoggingPolicy {

    /** How many actions there are to choose from, given these features. */
    @Override
    int actionCount(Features features);

    /**
     * Computes π(a|x) for every action a.
     *
     * @param probabilities at least {@code actionCount(features)} long. Its head is overwritten.
     */
    void probabilities(Features features, double[] probabilities);

    /**
     * Computes the probabilities of a policy to which only the allowed actions are offered; they
     * are 0 for the others.
     *
     * <p>Here π(a|x) / Σ<sub>allowed</sub> π(a'|x), and uniform over the allowed actions if π has
     * no probability left for them. Policies that know more than probabilities do better.
     *
     * @param probabilities at least {@code actionCount(features)} long. Its head is overwritten.
     */
    default void probabilities(Features features, AllowedActions allowed, double[] probabilities) {
        allowed.requireActions(actionCount(features));
        probabilities(features, probabilities);
        allowed.gather(probabilities);
        double sum = 0.0;
        for (int i = 0; i < allowed.count(); i++) {
            sum += probabilities[i];
        }
        for (int i = 0; i < allowed.count(); i++) {
            probabilities[i] = sum > 0.0 ? probabilities[i] / sum : 1.0 / allowed.count();
        }
        allowed.scatter(probabilities);
    }

    /** Draws an action from the probabilities; its propensity is exact. */
    @Override
    default Decision decide(Features features, AllowedActions allowed, EventRandom random) {
        double[] probabilities = new double[actionCount(features)];
        probabilities(features, allowed, probabilities);
        return Decision.drawnFrom(probabilities, random);
    }
}
