package io.counterflow.core.loop;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.Rollout;
import java.util.Optional;

/** Decides as serving does, with the versions of a loop's rollout. */
final class SimulatedServing {

    private SimulatedServing() {}

    static Decision decide(
            LearningLoop loop,
            LoopStorage versions,
            Features x,
            AllowedActions allowed,
            String name,
            String eventId) {
        Rollout rollout = loop.gate().rollout();
        EventRandom random = EventRandom.ofAction(name, eventId);
        Policy active = policy(loop, versions, rollout.activeVersion());
        Optional<Split> split = rollout.split();
        if (split.isEmpty()) {
            return active.decide(x, allowed, random);
        }
        boolean byCandidate = CanaryShare.decidesCanary(name, eventId, split.get().share());
        return new SplitPolicy(
                        active, policy(loop, versions, split.get().candidateVersion()), split.get())
                .decide(x, allowed, byCandidate, random);
    }

    private static Policy policy(LearningLoop loop, LoopStorage versions, long version) {
        return loop.spec().policyOf(versions.parameters(version).orElseThrow());
    }
}
