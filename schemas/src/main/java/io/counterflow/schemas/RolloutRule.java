package io.counterflow.schemas;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.spec.RolloutMode;

/**
 * How a loop's candidates go live.
 *
 * @param mode who decides
 * @param canaryShare share of events that a promoted version decides at first; 1 for all at once
 * @param candidateExamples examples on which a candidate is judged before a newer one takes its
 *     place; 0 for no limit
 * @param automaticRollback whether the gate may return to the version before
 */
public record RolloutRule(
        RolloutMode mode, double canaryShare, long candidateExamples, boolean automaticRollback) {

    public RolloutRule {
        if (!(canaryShare > 0.0 && canaryShare <= 1.0)) {
            throw new IllegalArgumentException("canaryShare must be in (0, 1], got " + canaryShare);
        }
        Require.atLeast(0, candidateExamples, "candidateExamples");
    }

    /** What the gate is told. */
    public GateSpec gateSpec(double delta) {
        return new GateSpec(mode, delta, candidateExamples, canaryShare, automaticRollback);
    }
}
