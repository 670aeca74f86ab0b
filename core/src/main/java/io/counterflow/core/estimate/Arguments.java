package io.counterflow.core.estimate;

/** The ranges of what is handed to estimators. Stated positively, so that NaN is refused. */
final class Arguments {

    /** Largest number that may enter a sum: its square times any count is still finite. */
    static final double LARGEST_TERM = 1e100;

    private Arguments() {}

    static double delta(double delta) {
        if (!(delta > 0.0 && delta < 1.0)) {
            throw new IllegalArgumentException("delta must be in (0, 1), got " + delta);
        }
        return delta;
    }

    static double reward(double reward) {
        return share(reward, "reward");
    }

    static double share(double value, String what) {
        if (!(value >= 0.0 && value <= 1.0)) {
            throw new IllegalArgumentException(what + " must be in [0, 1], got " + value);
        }
        return value;
    }

    static double propensityFloor(double floor) {
        if (!(floor > 0.0 && floor <= 1.0)) {
            throw new IllegalArgumentException("propensityFloor must be in (0, 1], got " + floor);
        }
        return floor;
    }

    static double smoothing(double smoothing) {
        if (!(smoothing >= 1.0 / LARGEST_TERM && smoothing <= LARGEST_TERM)) {
            throw new IllegalArgumentException(
                    "smoothing must be in [1e-100, 1e100], got " + smoothing);
        }
        return smoothing;
    }

    static double nonnegativeTerm(double value, String what) {
        if (!(value >= 0.0 && value <= LARGEST_TERM)) {
            throw new IllegalArgumentException(what + " must be in [0, 1e100], got " + value);
        }
        return value;
    }
}
