package io.counterflow.core.numeric;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Checks of arguments. All of them refuse NaN, and those of a named argument return it. Their
 * messages start with its name.
 */
public final class Require {

    /** Largest term of a sum of squares: its square times any count is finite. */
    public static final double MAX_TERM = 1e100;

    private static final Duration MAX_DURATION = Duration.ofDays(365_000);

    private Require() {}

    /** Refuses an argument unless a condition holds. */
    public static void that(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** The same with the arguments of a format. Allocates, so not for checks of each example. */
    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    public static void that(boolean condition, String format, Object... arguments) {
        if (!condition) {
            throw new IllegalArgumentException(format.formatted(arguments));
        }
    }

    private static double checked(boolean holds, double value, String what, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(what + " must be " + rule + ", got " + value);
        }
        return value;
    }

    /** The probability with which a statement may fail, in (0, 1). */
    public static double delta(double delta) {
        return checked(delta > 0.0 && delta < 1.0, delta, "delta", "in (0, 1)");
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
        return checked(value > 0.0 && value <= 1.0, value, what, "in (0, 1]");
    }

    /** λ of logarithmic smoothing, within a range in which its products stay finite. */
    public static double smoothing(double smoothing) {
        boolean holds = smoothing >= 1.0 / MAX_TERM && smoothing <= MAX_TERM;
        return checked(holds, smoothing, "smoothing", "in [1e-100, 1e100]");
    }

    /** A reward, in [0, 1]. */
    public static double reward(double reward) {
        return share(reward, "reward");
    }

    /** A number in [0, 1]. */
    public static double share(double value, String what) {
        return checked(value >= 0.0 && value <= 1.0, value, what, "in [0, 1]");
    }

    /** A term of a sum, in [0, 1e100]. */
    public static double nonnegativeTerm(double value, String what) {
        return checked(value >= 0.0 && value <= MAX_TERM, value, what, "in [0, 1e100]");
    }

    /** A number that is at least 0 and may be infinite. */
    public static double atLeastZero(double value, String what) {
        return checked(value >= 0.0, value, what, "at least 0");
    }

    /** A number that is finite and at least 0. */
    public static double finiteAtLeastZero(double value, String what) {
        boolean holds = value >= 0.0 && value <= Double.MAX_VALUE;
        return checked(holds, value, what, "finite and at least 0");
    }

    /** A number that is finite and above 0. */
    public static double finiteAboveZero(double value, String what) {
        boolean holds = value > 0.0 && value <= Double.MAX_VALUE;
        return checked(holds, value, what, "finite and above 0");
    }

    public static double finite(double value, String what) {
        return checked(Double.isFinite(value), value, what, "finite");
    }

    /** A count of at least {@code smallest}. */
    public static long atLeast(long smallest, long value, String what) {
        if (value < smallest) {
            throw new IllegalArgumentException(
                    what + " must be at least " + smallest + ", got " + value);
        }
        return value;
    }

    /** A count of at most {@code largest}. */
    public static long atMost(long largest, long value, String what) {
        if (value > largest) {
            throw new IllegalArgumentException(
                    what + " must be at most " + largest + ", got " + value);
        }
        return value;
    }

    /** A whole number in [{@code smallest}, {@code largest}]. */
    public static long within(long smallest, long largest, long value, String what) {
        if (value < smallest || value > largest) {
            throw new IllegalArgumentException(
                    what + " must be in [" + smallest + ", " + largest + "], got " + value);
        }
        return value;
    }

    public static String notEmpty(String text, String what) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(what + " must not be empty");
        }
        return text;
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
