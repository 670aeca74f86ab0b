package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;

/**
 * The policies of two versions that share the events. The propensity of every decision is the
 * probability under both together ({@link Split}). If one of the propensities of mixed logits is an
 * upper bound, so is that of the decision.
 */
public record SplitPolicy(Policy active, Policy candidate, Split split) {

    /**
     * Draws one of the allowed actions.
     *
     * @param byCandidate whether the candidate draws it, which is so for a share s of the events
     * @param random the random numbers of this event; the same ones give the same decision
     */
    public Decision decide(
            Features features, AllowedActions allowed, boolean byCandidate, EventRandom random) {
        Policy decider = byCandidate ? candidate : active;
        Policy other = byCandidate ? active : candidate;
        Decision drawn = decider.decide(features, allowed, random);
        double[] ofOther =
                switch (drawn.kind()) {
                    case EXACT -> probabilities(other, features, allowed);
                    case ESTIMATED -> other.decide(features, allowed, random).distribution();
                    case UPPER_BOUND, LEARNED -> new double[0];
                };
        int action = drawn.action();
        if (ofOther.length == 0) {
            return new Decision(
                    action,
                    Math.min(
                            1.0,
                            split.propensity(
                                    active.upperBound(features, allowed, action),
                                    candidate.upperBound(features, allowed, action))),
                    PropensityKind.UPPER_BOUND,
                    ofOther);
        }
        double[] ofDecider = drawn.distribution();
        double[] mixed = new double[ofOther.length];
        for (int a = 0; a < mixed.length; a++) {
            mixed[a] =
                    byCandidate
                            ? split.propensity(ofOther[a], ofDecider[a])
                            : split.propensity(ofDecider[a], ofOther[a]);
        }
        return new Decision(action, mixed[action], drawn.kind(), mixed);
    }

    private static double[] probabilities(
            Policy policy, Features features, AllowedActions allowed) {
        double[] probabilities = new double[policy.actionCount(features)];
        policy.probabilities(features, allowed, probabilities);
        return probabilities;
    }
}
