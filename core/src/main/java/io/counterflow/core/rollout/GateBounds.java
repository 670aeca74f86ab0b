package io.counterflow.core.rollout;

/**
 * What is known of two versions from what one of them, the holder, logged.
 *
 * @param challengerLower lower bound on the challenger's value, at δ/2
 * @param holderUpper upper bound on the holder's value, at δ/2
 * @param differenceLower lower bound on how much better the challenger is, at δ; this one decides
 * @param examples examples of the holder that it rests on
 * @param delta δ of this comparison
 */
public record GateBounds(
        double challengerLower,
        double holderUpper,
        double differenceLower,
        long examples,
        double delta) {}
