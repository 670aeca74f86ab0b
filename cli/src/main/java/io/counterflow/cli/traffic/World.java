package io.counterflow.cli.traffic;

import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.spec.LoopSpec;
import java.util.function.IntToDoubleFunction;

/**
 * Simulated users with known reward probabilities, so that the value of every policy is known. Safe
 * for use by several threads.
 */
public interface World {

    /**
     * One visit of a simulated user.
     *
     * @param context the context of the decision
     * @param rewardProbability the probability of a reward, by action
     */
    record Visit(Context context, IntToDoubleFunction rewardProbability) {}

    /** The spec of the loop that decides. */
    LoopSpec spec();

    Visit visit(EventRandom random);

    /** Mean reward of the best possible policy. */
    double best();

    /** Mean reward of the uniform policy. */
    double uniform();

    /** Mean reward of a policy. May take some time. */
    double valueOf(Policy policy);

    default String loop() {
        return spec().loop();
    }
}
