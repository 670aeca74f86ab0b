package io.counterflow.core.estimate;

/**
 * Where a value lies, as far as is known.
 *
 * @param lower at most {@code upper}; −∞ when nothing is known on that side
 * @param upper at least {@code lower}; +∞ when nothing is known on that side
 */
public record Interval(double lower, double upper) {

    public Interval {
        if (!(lower <= upper)) { // stated positively: NaN is refused as well
            throw new IllegalArgumentException(
                    "interval must have lower <= upper, got " + lower + " and " + upper);
        }
    }

    /** Whether a value lies within, ends included. */
    public boolean contains(double value) {
        return lower <= value && value <= upper;
    }

    /** upper − lower. */
    public double width() {
        return upper - lower;
    }
}
