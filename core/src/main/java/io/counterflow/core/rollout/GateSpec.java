package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.RolloutMode;

/**
 * How a loop's candidates go live. Immutable, and checked once, here.
 *
 * @param mode who decides
 * @param delta δ: how often, over the whole life of a loop, the gate may promote any candidate that
 *     is worse; and again, how often it may roll back to a version that is worse
 * @param candidateExamples a candidate's turn: examples of the active version on which it is judged
 *     before a newer one takes its place, and examples of its own that a canary decides before it
 *     gets all; 0 for no end
 * @param canaryShare share of events that a version which passed the gate decides at first; 1 for
 *     all at once
 * @param automaticRollback whether the gate may take a version back
 */
public record GateSpec(
        RolloutMode mode,
        double delta,
        long candidateExamples,
        double canaryShare,
        boolean automaticRollback) {

    public GateSpec {
        Require.delta(delta);
        Require.atLeast(0, candidateExamples, "candidateExamples");
        if (!(canaryShare > 0.0 && canaryShare <= 1.0)) {
            throw new IllegalArgumentException("canaryShare must be in (0, 1], got " + canaryShare);
        }
    }
}
