package io.counterflow.experiments.worlds;

import io.counterflow.core.numeric.EventRandom;

/** A learner that makes its own decisions. */
interface Agent extends AutoCloseable {

    /**
     * Chooses an action.
     *
     * @param random the random numbers of its draws
     */
    Choice decide(Request request, EventRandom random);

    /** Learns from a decision. Decisions come in their order, perhaps some events later. */
    void learn(Request request, Choice choice, double reward);

    @Override
    default void close() {}
}
