package io.counterflow.core.policy;

/**
 * An interval that always contains a probability.
 *
 * @param lower at least 0
 * @param upper at least {@code lower}, at most 1
 */
record PropensityBounds(double lower, double upper) {

    public PropensityBounds {
        if (!(lower >= 0.0 && lower <= upper && upper <= 1.0)) {
            throw new IllegalArgumentException(
                    "bounds must satisfy 0 <= lower <= upper <= 1, got %s and %s"
                            .formatted(lower, upper));
        }
    }
}
