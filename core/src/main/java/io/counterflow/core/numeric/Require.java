package io.counterflow.core.numeric;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Checks of arguments. All of them refuse NaN and return the argument. A message starts with the
 * name of the argument.
 */
public final class Require {

    /** Largest term of a sum of squares: its square times any count is finite. */
    public static final double MAX_TERM = 1e100;

    private static final Duration MAX_DURATION = Duration.ofDays(365_000);

    private Require() {}

    /** The probability with which a statement may fail, in (0, 1). */
    public static double delta(double delta) {
        if (!(delta > 0.0 && delta < 1.0)) {
            throw new IllegalArgumentException("delta must be in (0, 1), got " + delta);
        }
        return delta;
    }

    /** The probability of an action that was drawn, in (0, 1]. */
    public static double propensity(double propensity) {
        return positiveShare(propensity, "propensity");
    }

    /** τ, in (0, 1]. */
    public static double propensityFloor(double floor) {
        return positiveShare(floor, "propensityFloor");
    }

    private static double positiveShare(double value, String what) {
        if (!(value > 0.0 && value <= 1.0)) {
            throw new IllegalArgumentException(what + " must be in (0, 1], got " + value);
        }
        return value;
    }

    /** λ of logarithmic smoothing, within a range in which its products stay finite. */
    public static double smoothing(double smoothing) {
        if (!(smoothing >= 1.0 / MAX_TERM && smoothing <= MAX_TERM)) {
            throw new IllegalArgumentException(
                    "smoothing must be in [1e-100, 1e100], got " + smoothing);
        }
        return smoothing;
    }

    /** A reward, in [0, 1]. */
    public static double reward(double reward) {
        return share(reward, "reward");
    }

    /** A number in [0, 1]. */
    public static double share(double value, String what) {
        if (!(value >= 0.0 && value <= 1.0)) {
            throw new IllegalArgumentException(what + " must be in [0, 1], got " + value);
        }
        return value;
    }

    /** A term of a sum, in [0, 1e100]. */
    public static double nonnegativeTerm(double value, String what) {
        if (!(value >= 0.0 && value <= MAX_TERM)) {
            throw new IllegalArgumentException(what + " must be in [0, 1e100], got " + value);
        }
        return value;
    }

    /** A number that is at least 0 and may be infinite. */
    public static double atLeastZero(double value, String what) {
        if (!(value >= 0.0)) {
            throw new IllegalArgumentException(what + " must be at least 0, got " + value);
        }
        return value;
    }

    /** A number that is finite and at least 0. */
    public static double finiteAtLeastZero(double value, String what) {
        if (!(value >= 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    what + " must be finite and at least 0, got " + value);
        }
        return value;
    }

    /** A number that is finite and above 0. */
    public static double finiteAboveZero(double value, String what) {
        if (!(value > 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(what + " must be finite and above 0, got " + value);
        }
        return value;
    }

    /** A number that is finite. */
    public static double finite(double value, String what) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(what + " must be finite, got " + value);
        }
        return value;
    }

    /** A count of at least {@code smallest}. */
    public static long atLeast(long smallest, long value, String what) {
        if (value < smallest) {
            throw new IllegalArgumentException(
                    what + " must be at least " + smallest + ", got " + value);
        }
        return value;
    }

    /** A duration above zero. */
    public static Duration aboveZero(Duration duration, String what) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(
                    what + " must be above zero, got " + DurationText.format(duration));
        }
        return duration;
    }

    /** A duration in whole milliseconds, at least zero and at most a thousand years. */
    public static Duration wholeMillis(Duration duration, String what) {
        if (duration.isNegative() || duration.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    what
                            + " must be at least 0s and at most 365000d, got "
                            + DurationText.format(duration));
        }
        if (!duration.equals(duration.truncatedTo(ChronoUnit.MILLIS))) {
            throw new IllegalArgumentException(
                    what + " must be whole milliseconds, got " + duration);
        }
        return duration;
    }
}
