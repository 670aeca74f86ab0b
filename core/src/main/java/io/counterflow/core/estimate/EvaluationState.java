package io.counterflow.core.estimate;

import java.util.List;

/**
 * What a {@link PolicyEvaluation} has to remember: restored from it, it goes on to the same bits.
 *
 * @param propensityFloor τ of its estimators
 * @param smoothing λ of the log-smoothed one
 * @param sums the numbers of its estimators, in the order in which {@link PolicyEvaluation} holds
 *     them
 */
public record EvaluationState(double propensityFloor, double smoothing, List<Double> sums) {

    public EvaluationState {
        sums = List.copyOf(sums);
    }
}
