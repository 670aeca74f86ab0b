package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the gate must know about a decision, besides the example that is learned from: how it was
 * made, as far as it matters for what its propensity can show, and its guardrail reward.
 *
 * @param specVersion version of the loop's spec that was in force; 0 if it is not known
 * @param propensityKind how the propensity was obtained
 * @param split the versions that shared the events; empty if one version decided all of them
 * @param holdout whether the event is in the holdout, so that the baseline version alone decided it
 * @param apprentice whether no version decided it, because the loop was an apprentice: its action
 *     was shown for certain
 * @param timeMs when it was made, in milliseconds since 1970
 * @param guardrailReward its guardrail reward, in [0, 1]; empty if it is not known
 */
public record DecisionOrigin(
        long specVersion,
        PropensityKind propensityKind,
        Optional<Split> split,
        boolean holdout,
        boolean apprentice,
        long timeMs,
        OptionalDouble guardrailReward) {

    /** An exact propensity of one version, under an unknown spec, made just now. */
    public static final DecisionOrigin EXACT =
            new DecisionOrigin(0, PropensityKind.EXACT, Optional.empty(), Long.MAX_VALUE);

    /** The origin of a decision. */
    public static DecisionOrigin of(Impression impression) {
        return new DecisionOrigin(
                impression.specVersion(),
                impression.choice().propensityKind(),
                impression.choice().split(),
                impression.choice().holdout(),
                impression.choice().policyAction().isPresent(),
                impression.time().toEpochMilli(),
                impression.guardrailReward());
    }

    /** An origin in which a version decided. */
    public DecisionOrigin(
            long specVersion,
            PropensityKind propensityKind,
            Optional<Split> split,
            boolean holdout,
            long timeMs,
            OptionalDouble guardrailReward) {
        this(specVersion, propensityKind, split, holdout, false, timeMs, guardrailReward);
    }

    /** An origin outside the holdout, without a guardrail reward. */
    public DecisionOrigin(
            long specVersion, PropensityKind propensityKind, Optional<Split> split, long timeMs) {
        this(specVersion, propensityKind, split, false, timeMs, OptionalDouble.empty());
    }

    /** Whether versions of the rollout decided it: not the baseline of a holdout or the caller. */
    public boolean byRollout() {
        return !holdout && !apprentice;
    }

    public DecisionOrigin {
        Require.atLeast(0, specVersion, "specVersion");
        guardrailReward.ifPresent(value -> Require.share(value, "guardrailReward"));
    }
}
