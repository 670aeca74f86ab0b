package io.counterflow.core.bound;

/** The ranges of what is handed to bounds. Stated positively, so that NaN is refused. */
final class Arguments {

    private Arguments() {}

    static double delta(double delta) {
        if (!(delta > 0.0 && delta < 1.0)) {
            throw new IllegalArgumentException("delta must be in (0, 1), got " + delta);
        }
        return delta;
    }

    static double propensityFloor(double floor) {
        if (!(floor > 0.0 && floor <= 1.0)) {
            throw new IllegalArgumentException("propensityFloor must be in (0, 1], got " + floor);
        }
        return floor;
    }

    static long examples(long examples) {
        if (examples < 1) {
            throw new IllegalArgumentException("examples must be at least 1, got " + examples);
        }
        return examples;
    }

    static double atLeastZero(double value, String what) {
        if (!(value >= 0.0)) {
            throw new IllegalArgumentException(what + " must be at least 0, got " + value);
        }
        return value;
    }

    static double finiteAtLeastZero(double value, String what) {
        if (!(value >= 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    what + " must be finite and at least 0, got " + value);
        }
        return value;
    }

    static double finiteAboveZero(double value, String what) {
        if (!(value > 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(what + " must be finite and above 0, got " + value);
        }
        return value;
    }
}
