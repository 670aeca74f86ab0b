package io.counterflow.cli.traffic;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.spec.LoopSpec;

/**
 * Simulated users with known reward probabilities, so that the value of every policy is known. Safe
 * for use by several threads.
 */
public interface World {

    /** The spec of the loop that decides. */
    LoopSpec spec();

    /** The next visit. */
    Visit visit(EventRandom random);

    /** Mean reward of the best possible policy. */
    double best();

    /** Mean reward of the uniform policy. */
    double uniform();

    /** Mean reward of a policy. May take some time. */
    double valueOf(Policy policy);

    /** The name of the loop. */
    default String loop() {
        return spec().loop();
    }
}
