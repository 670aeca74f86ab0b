package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/** An estimate of a policy's value V = E[r], with its uncertainty. */
interface ValueEstimate {

    /** n, the number of examples. */
    long count();

    /**
     * The estimate.
     *
     * @throws IllegalStateException if there are no examples yet
     */
    double value();

    /** Estimated standard deviation of {@link #value()}; +∞ for fewer than two examples. */
    double standardError();

    /**
     * R, if the estimate is a mean of independent terms known to lie in [0, R]; empty otherwise.
     */
    OptionalDouble termRange();

    /** The value plus and minus z<sub>δ/2</sub> standard errors; asymptotic, two-sided. */
    default Interval normalInterval(double delta) {
        double z = NormalQuantile.upper(Require.delta(delta) / 2.0);
        double halfWidth = z * standardError();
        return new Interval(value() - halfWidth, value() + halfWidth);
    }

    /**
     * An interval that contains the mean of the terms with probability at least 1 − δ at every n.
     *
     * <p>Empirical Bernstein (Maurer and Pontil 2009, theorem 4), with δ/2 for each side: value ±
     * (√(2 v ln(4/δ)/n) + 7 R ln(4/δ)/(3(n−1))), cut to [0, R], where v is the terms' sample
     * variance. With one example the interval is [0, R]. The mean of the terms is the estimator's
     * expectation; if that is below V (truncation, clipping), the lower end is still a lower bound
     * on V.
     *
     * @throws UnsupportedOperationException if {@link #termRange()} is empty
     */
    default Interval empiricalBernsteinInterval(double delta) {
        Require.delta(delta);
        double range =
                termRange()
                        .orElseThrow(
                                () ->
                                        new UnsupportedOperationException(
                                                "an empirical Bernstein interval needs terms of a"
                                                        + " known range; "
                                                        + getClass().getSimpleName()
                                                        + " has none"));
        double center = value();
        if (count() < 2) {
            return new Interval(0.0, range);
        }
        double log = StrictMath.log(4.0 / delta);
        // √(2 v log / n), with v/n the squared standard error
        double halfWidth =
                standardError() * Math.sqrt(2.0 * log) + 7.0 * range * log / (3.0 * (count() - 1));
        double largest =
                Math.max(range, center); // rounding may make a mean of largest terms exceed R
        return new Interval(
                Math.max(0.0, center - halfWidth), Math.min(largest, center + halfWidth));
    }
}
