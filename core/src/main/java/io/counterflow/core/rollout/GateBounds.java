package io.counterflow.core.rollout;

import java.util.OptionalDouble;

/**
 * Bounds on the values of two versions, from events that one of them, the holder, logged.
 *
 * @param challengerLower lower bound on the challenger's value, at δ/2
 * @param holderUpper upper bound on the holder's value, at δ/2
 * @param differenceLower lower bound on how much better the challenger is, at δ; this one is used
 *     for decisions
 * @param guardrailLower lower bound on the same difference of the guardrail rewards, at δ; empty
 *     without a guardrail
 * @param examples number of examples of the holder
 * @param delta δ of this comparison
 */
public record GateBounds(
        double challengerLower,
        double holderUpper,
        double differenceLower,
        OptionalDouble guardrailLower,
        long examples,
        double delta) {}
