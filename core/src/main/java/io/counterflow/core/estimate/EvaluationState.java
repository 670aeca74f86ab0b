package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Numbers;

/**
 * The state of a {@link PolicyEvaluation}. A restored evaluation continues with the same bits.
 *
 * @param propensityFloor τ of its estimators
 * @param smoothing λ of the log-smoothed one
 * @param sums the numbers of its estimators, in the order of {@link PolicyEvaluation}
 */
public record EvaluationState(double propensityFloor, double smoothing, Numbers sums) {}
