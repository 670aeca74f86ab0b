package io.counterflow.core.estimate;

/**
 * An interval that contains a value.
 *
 * @param lower at most {@code upper}; −∞ if it is unknown
 * @param upper at least {@code lower}; +∞ if it is unknown
 */
public record Interval(double lower, double upper) {

    public Interval {
        if (!(lower <= upper)) { // written so that NaN is refused
            throw new IllegalArgumentException(
                    "interval must have lower <= upper, got " + lower + " and " + upper);
        }
    }

    /** Whether a value is in the interval. Both ends are included. */
    public boolean contains(double value) {
        return lower <= value && value <= upper;
    }

    /** upper − lower. */
    public double width() {
        return upper - lower;
    }
}
