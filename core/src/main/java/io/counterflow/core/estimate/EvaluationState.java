package io.counterflow.core.estimate;

import java.util.List;

/**
 * The state of a {@link PolicyEvaluation}. A restored evaluation continues with the same bits.
 *
 * @param propensityFloor τ of its estimators
 * @param smoothing λ of the log-smoothed one
 * @param sums the numbers of its estimators, in the order of {@link PolicyEvaluation}
 */
public record EvaluationState(double propensityFloor, double smoothing, List<Double> sums) {

    public EvaluationState {
        sums = List.copyOf(sums);
    }
}
