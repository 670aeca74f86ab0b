package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.List;
import java.util.OptionalDouble;

/**
 * An example as the gate uses it: its reward, and the probability of its action under the versions
 * of the rollout, all under the decision rule that is in force.
 *
 * <p>The probabilities of a mixed logit have no closed form. Then the propensity is the upper bound
 * of the paper's lemma, and the probabilities below are lower bounds, so a comparison is never in
 * favour of the challenger by mistake.
 *
 * @param loggedBy the version that decided or, if two versions shared the events, the active one
 * @param timeMs when it decided, in milliseconds since 1970
 * @param propensity p, as it was logged
 * @param maxActiveWeight the largest weight of the active version that the logging policy allows: 1
 *     for its own events, 1/(1 − s) if another version decided a share s of them
 * @param candidateShare s, if that other version is the candidate; otherwise 0
 * @param reward r, in [0, 1]
 * @param guardrailReward its guardrail reward, in [0, 1]; empty without a guardrail
 * @param active the active version, next to the candidate
 * @param candidate the candidate next to the active version, as are the following; {@link
 *     ComparedVersion#NONE} if there is none
 * @param previous the previous version; {@link ComparedVersion#NONE} if it is not compared
 * @param registered each registered candidate, in the order of the gate
 * @param recomputed what p should be; NaN if the version that decided is not in the rollout
 * @param maxWeight the largest weight that the exploration floor allows; +∞ without a floor
 * @param evidence whether the example may be used for decisions
 */
public record ComparedExample(
        long loggedBy,
        long timeMs,
        double propensity,
        double maxActiveWeight,
        double candidateShare,
        double reward,
        OptionalDouble guardrailReward,
        ComparedVersion active,
        ComparedVersion candidate,
        ComparedVersion previous,
        List<ComparedVersion> registered,
        double recomputed,
        double maxWeight,
        Evidence evidence) {

    /** Relative difference from which a propensity is wrong. */
    private static final double TOLERANCE = 1e-6;

    /** What an example can show. */
    public enum Evidence {
        /** Decided under the rule in force, with an exact propensity or an upper bound. */
        USABLE,
        /** Decided under another rule: its policies are not those that are compared. */
        OTHER_RULE,
        /** Its propensity cannot be computed again, because a version is no longer stored. */
        UNCHECKED,
        /** Its propensity is an estimate or was learned. */
        INEXACT
    }

    public ComparedExample {
        Require.propensity(propensity);
        Require.that(
                maxActiveWeight >= 1.0,
                "maxActiveWeight must be at least 1, got %s",
                maxActiveWeight);
        Require.share(candidateShare, "candidateShare");
        Require.reward(reward);
        guardrailReward.ifPresent(value -> Require.share(value, "guardrailReward"));
        registered = List.copyOf(registered);
    }

    /** Whether the logged propensity differs from the recomputed one. */
    public boolean isMismatch() {
        return Math.abs(recomputed - propensity) > TOLERANCE * propensity;
    }

    /** Whether the logged propensity was checked, so that bounds may use it. */
    public boolean isChecked() {
        return evidence == Evidence.USABLE && !isMismatch();
    }

    /** Whether nothing speaks against its propensity, whatever rule it was decided under. */
    public boolean isComparable() {
        return evidence != Evidence.INEXACT && !isMismatch();
    }

    /** The weight of the active version; 1 for its own events, whose p may be an upper bound. */
    double activeWeight() {
        return maxActiveWeight == 1.0
                ? 1.0
                : Math.min(maxActiveWeight, active.probability() / propensity);
    }

    /** The largest weight of a candidate that decided a share of the events. */
    double maxCandidateWeight() {
        return 1.0 / candidateShare;
    }

    /** The weight of a candidate that decided a share of the events. */
    double candidateWeight() {
        return Math.min(maxCandidateWeight(), candidate.probability() / propensity);
    }
}
