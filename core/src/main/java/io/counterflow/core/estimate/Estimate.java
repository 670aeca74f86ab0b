package io.counterflow.core.estimate;

import java.util.Optional;

/**
 * The result of one estimator.
 *
 * @param value the estimate
 * @param standardError its standard error; +∞ for fewer than two examples
 * @param normalInterval two-sided and asymptotic
 * @param empiricalBernsteinInterval two-sided at every n; empty if terms have no known range
 */
public record Estimate(
        double value,
        double standardError,
        Interval normalInterval,
        Optional<Interval> empiricalBernsteinInterval) {

    /** The result of an estimator, with intervals that each fail with probability δ. */
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
