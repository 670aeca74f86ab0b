package io.counterflow.core.spec;

/**
 * The valid numbers of a setting. Both ends are included, unless the start is open.
 *
 * @param open whether {@code min} itself is out of range
 */
record Range(double min, double max, boolean open) {

    static final Range ANY = new Range(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, false);

    /** [min, max]. */
    static Range closed(double min, double max) {
        return new Range(min, max, false);
    }

    /** (min, max]. */
    static Range above(double min, double max) {
        return new Range(min, max, true);
    }

    /** All numbers from {@code min}. */
    static Range atLeast(double min) {
        return new Range(min, Double.POSITIVE_INFINITY, false);
    }

    void require(String name, double value) {
        require(name, value, show(value));
    }

    void require(String name, long value) {
        require(name, (double) value, Long.toString(value));
    }

    private void require(String name, double value, String shown) {
        // Written so that NaN is refused.
        if (!((open ? value > min : value >= min) && value <= max)) {
            throw new IllegalArgumentException(
                    "%s must be %s, got %s".formatted(name, this, shown));
        }
    }

    /** Formats whole numbers with all digits, others like 0.05 or 1e-6. */
    static String show(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e7) {
            return Long.toString((long) value);
        }
        return Double.toString(value).replace(".0E", "e").replace('E', 'e');
    }

    /** The text after "must be" in messages. */
    @Override
    public String toString() {
        if (max == Double.POSITIVE_INFINITY) {
            return "at least " + show(min);
        }
        return "in " + (open ? "(" : "[") + show(min) + ", " + show(max) + "]";
    }
}
