package io.counterflow.core.estimate;

import java.util.Optional;

/**
 * One estimator's answer.
 *
 * @param value the estimate
 * @param standardError its standard error; +∞ for fewer than two examples
 * @param normalInterval two-sided and asymptotic
 * @param empiricalBernsteinInterval two-sided at every n; empty where terms have no known range
 */
public record Estimate(
        double value,
        double standardError,
        Interval normalInterval,
        Optional<Interval> empiricalBernsteinInterval) {

    /** What an estimator says, with intervals that each miss with probability δ. */
    public static Estimate of(ValueEstimate estimate, double delta) {
        return new Estimate(
                estimate.value(),
                estimate.standardError(),
                estimate.normalInterval(delta),
                estimate.termRange().isPresent()
                        ? Optional.of(estimate.empiricalBernsteinInterval(delta))
                        : Optional.empty());
    }
}
