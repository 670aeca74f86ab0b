package io.counterflow.core.rollout;

import io.counterflow.core.log.RewardRange;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * When the gate promotes a version, and when it returns from one.
 *
 * <p>A candidate c is promoted if, with confidence,
 *
 * <pre>
 * V<sub>c</sub> − V<sub>a</sub> ≥ minimumGain  and  G<sub>c</sub> − G<sub>a</sub> ≥ −guardrailMargin,
 * </pre>
 *
 * where a is the active version, V the value and G the mean guardrail reward. Both tests use the
 * whole δ of the comparison: a candidate that should not be promoted fails one of the two
 * conditions, and it is promoted only if the test of that condition is wrong, which has probability
 * at most δ.
 *
 * <p>The gate returns from a version if the previous one is better on one of the two: by more than
 * 0 on the reward, or by at least the margin on the guardrail. Here either test can be wrong by
 * itself, so each uses half of δ.
 *
 * @param guardrailMargin in (0, 1]; empty without a guardrail
 * @param unit the range of rewards in the loop's own unit, for words
 */
record GateCriterion(double minimumGain, OptionalDouble guardrailMargin, RewardRange unit) {

    static GateCriterion of(LoopSpec spec) {
        return new GateCriterion(
                spec.minimumGain(), spec.get(LoopSettings.GUARDRAIL_MARGIN), spec.rewardRange());
    }

    /** Whether evidence that was gathered for another criterion can be used for this one. */
    boolean continues(GateCriterion before) {
        return (minimumGain == before.minimumGain || minimumGain == 0.0)
                && guardrailMargin.equals(before.guardrailMargin);
    }

    /** Whether only the sign of a difference matters, not its size. */
    boolean needsSignOnly() {
        return minimumGain == 0.0 && guardrailMargin.isEmpty();
    }

    boolean isMetBy(PolicyComparison candidate) {
        return candidate.isBetterBy(minimumGain) && meetsGuardrail(candidate);
    }

    private boolean meetsGuardrail(PolicyComparison candidate) {
        return guardrailMargin.isEmpty()
                || candidate.isGuardrailBetterBy(-guardrailMargin.getAsDouble(), candidate.delta());
    }

    /** The evidence for {@link #isMetBy}: 1 if it is sufficient, 0 at the start. */
    double evidence(PolicyComparison candidate) {
        double evidence = candidate.evidence(minimumGain);
        return guardrailMargin.isEmpty()
                ? evidence
                : Math.min(evidence, candidate.guardrailEvidence(-guardrailMargin.getAsDouble()));
    }

    /** The bounds of a candidate, in words that follow "is better". */
    String words(PolicyComparison candidate) {
        String words = candidate.margin(candidate.delta(), unit);
        if (guardrailMargin.isEmpty()) {
            return words;
        }
        words += candidate.guardrailWords();
        return candidate.isBetterBy(minimumGain) && !meetsGuardrail(candidate)
                ? words
                        + "; it waits for the guardrail, which must reach "
                        + -guardrailMargin.getAsDouble()
                : words;
    }

    /**
     * Whether to return from a version: by how much the one before it is better, in words that
     * follow "is better"; empty if it is not.
     */
    Optional<String> violation(Optional<PolicyComparison> watched) {
        if (watched.isEmpty()) {
            return Optional.empty();
        }
        PolicyComparison before = watched.get();
        double delta = guardrailMargin.isEmpty() ? before.delta() : before.delta() / 2.0;
        if (before.isBetterBy(0.0, delta)) {
            return Optional.of(before.margin(delta, unit));
        }
        return guardrailMargin.isPresent()
                        && before.isGuardrailBetterBy(guardrailMargin.getAsDouble(), delta)
                ? Optional.of(before.guardrailMargin(delta))
                : Optional.empty();
    }
}
