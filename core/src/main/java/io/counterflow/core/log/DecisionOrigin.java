package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.PropensityKind;
import java.util.OptionalDouble;

/**
 * What the gate must know about a decision, besides the example that is learned from: how it was
 * made, as far as it matters for what its propensity can show, and its guardrail reward.
 *
 * @param specVersion version of the loop's spec that was in force; 0 if it is not known
 * @param propensityKind how the propensity was obtained
 * @param splitShare s, if the propensity is the probability under a mixture in which the candidate
 *     decides a share s of the events and the active version decides the others; otherwise 0
 * @param timeMs when it was made, in milliseconds since 1970
 * @param guardrailReward its guardrail reward, in [0, 1]; empty if it is not known
 */
public record DecisionOrigin(
        long specVersion,
        PropensityKind propensityKind,
        double splitShare,
        long timeMs,
        OptionalDouble guardrailReward) {

    /** An exact propensity of one version, under an unknown spec, made just now. */
    public static final DecisionOrigin EXACT =
            new DecisionOrigin(0, PropensityKind.EXACT, 0.0, Long.MAX_VALUE);

    /** An origin without a guardrail reward. */
    public DecisionOrigin(
            long specVersion, PropensityKind propensityKind, double splitShare, long timeMs) {
        this(specVersion, propensityKind, splitShare, timeMs, OptionalDouble.empty());
    }

    public DecisionOrigin {
        Require.atLeast(0, specVersion, "specVersion");
        Require.share(splitShare, "splitShare");
        guardrailReward.ifPresent(value -> Require.share(value, "guardrailReward"));
    }
}
