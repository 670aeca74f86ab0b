package io.counterflow.cli.traffic;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSpec;

/**
 * Simulated users whose answers are drawn from known probabilities, so that the value of every
 * policy is known. Safe for use by several threads.
 */
public interface World {

    /** The loop that serves them. */
    String loop();

    /** How that loop decides, learns and rolls out. */
    LoopSpec spec();

    /** The next user who comes. */
    Visit visit(EventRandom random);

    /** Mean reward of the best possible policy. */
    double best();

    /** Mean reward of drawing actions at random. */
    double uniform();

    /**
     * Mean reward of a policy. May take a while.
     *
     * @param policy as it is served
     */
    double valueOf(io.counterflow.core.policy.Policy policy);
}
