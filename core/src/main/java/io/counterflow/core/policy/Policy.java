package io.counterflow.core.policy;

import io.counterflow.core.features.Features;

/** A stochastic policy π: a distribution over actions, given features. Immutable. */
public interface Policy {

    /** How many actions there are to choose from, given these features. */
    int actionCount(Features features);

    /**
     * Computes π(a|x) for every action a.
     *
     * @param probabilities at least {@code actionCount(features)} long. Its head is overwritten.
     */
    void probabilities(Features features, double[] probabilities);
}
