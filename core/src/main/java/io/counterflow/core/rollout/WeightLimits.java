package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.Split;

/**
 * The largest differences of weights that the logging policy allows in the context of an example,
 * whatever action was drawn. All are at least 1.
 *
 * <p>Bets of the gate are limited by them. Two versions that share events and hardly differ have
 * small limits, so the gate can bet as much on their events as on those of the active version
 * alone.
 *
 * @param active of w<sub>a</sub>, the weight of the active version
 * @param activeOverCandidate of w<sub>a</sub> − w<sub>c</sub>
 * @param candidateOverActive of w<sub>c</sub> − w<sub>a</sub>
 */
public record WeightLimits(double active, double activeOverCandidate, double candidateOverActive) {

    /** Those of events of the active version alone, whose weight is 1. */
    public static final WeightLimits OWN = new WeightLimits(1.0, 1.0, Double.POSITIVE_INFINITY);

    /**
     * Up to here limits may depend on the context. Larger ones may be too large for the gate, and
     * leaving out the examples of some contexts only would bias a comparison.
     */
    private static final double MAX_OF_CONTEXT = 50.0;

    /** More than the difference of a checked propensity and the logged one makes. */
    private static final double ROUNDING = 1.0 + 1e-5;

    public WeightLimits {
        Require.that(
                active >= 1.0 && activeOverCandidate >= 1.0 && candidateOverActive >= 1.0,
                "limits of weights must be at least 1, got %s, %s and %s",
                active,
                activeOverCandidate,
                candidateOverActive);
    }

    /** Those that hold in every context if another version decides a share s of the events. */
    public static WeightLimits ofShare(double share) {
        double active = 1.0 / (1.0 - share);
        return new WeightLimits(active, active, 1.0 / share);
    }

    /**
     * Those of one context.
     *
     * @param split how the events are shared
     * @param active probabilities of the active version by action
     * @param other those of the other version that shares the events
     * @param candidate those of the candidate, which may be that version or a newer one
     */
    public static WeightLimits of(
            Split split, double[] active, double[] other, double[] candidate, int actions) {
        double largest = 1.0;
        double activeOver = 1.0;
        double candidateOver = 1.0;
        for (int a = 0; a < actions; a++) {
            double logging = split.propensity(active[a], other[a]);
            if (logging > 0.0) { // allowed
                double difference = (active[a] - candidate[a]) / logging;
                largest = Math.max(largest, active[a] / logging);
                activeOver = Math.max(activeOver, difference);
                candidateOver = Math.max(candidateOver, -difference);
            }
        }
        WeightLimits any = ofShare(split.share());
        return new WeightLimits(
                limit(largest, any.active),
                limit(activeOver, any.activeOverCandidate),
                limit(candidateOver, any.candidateOverActive));
    }

    private static double limit(double ofContext, double any) {
        if (any > MAX_OF_CONTEXT) {
            return any;
        }
        return ofContext > 1.0 ? ofContext * ROUNDING : 1.0;
    }
}
