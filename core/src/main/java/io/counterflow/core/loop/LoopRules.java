package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.GateSpec;
import java.util.function.Function;

/**
 * What a loop's spec says to learner and gate.
 *
 * @param specVersion the spec's version
 * @param learner how the loop learns
 * @param gate how its candidates go live
 * @param served the policy that is served with some parameters: with the spec's temperature and
 *     exploration floor, because that one is judged and not the bare softmax
 * @param keptVersions how many of the newest versions can still be promoted or returned to, at
 *     least 1
 */
public record LoopRules(
        long specVersion,
        LearnerSpec learner,
        GateSpec gate,
        Function<LinearModel, Policy> served,
        int keptVersions) {

    public LoopRules {
        Require.atLeast(1, keptVersions, "keptVersions");
    }
}
