package io.counterflow.cli.console;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Formats numbers for people. The JSON form has all digits. */
public final class Figures {

    private static final int SIGNIFICANT_DIGITS = 4;
    private static final double MIN_PLAIN = 1e-4;
    private static final double MAX_PLAIN = 1e12;

    private Figures() {}

    public static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /**
     * Four significant digits, but all digits before the point; very large and small numbers with
     * an exponent.
     */
    public static String of(double value) {
        if (Double.isNaN(value)) {
            return "n/a";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0.0) {
            return "0";
        }
        if (Math.abs(value) < MIN_PLAIN || Math.abs(value) >= MAX_PLAIN) {
            return String.format(Locale.ROOT, "%." + (SIGNIFICANT_DIGITS - 1) + "e", value);
        }
        // Rounded first, because 9.99996 becomes 10.00.
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(SIGNIFICANT_DIGITS));
        int digitsBeforePoint = rounded.precision() - rounded.scale();
        int decimals = Math.max(0, SIGNIFICANT_DIGITS - digitsBeforePoint);
        return String.format(Locale.ROOT, "%,." + decimals + "f", new BigDecimal(value));
    }

    /** A share with one decimal: {@code 3.4 %}. */
    public static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * share);
    }

    /** A count with its unit: {@code 1 example}, {@code 2,000 examples}. */
    public static String count(long value, String one, String several) {
        return count(value) + ' ' + (value == 1 ? one : several);
    }

    /** A setting, without trailing zeros: {@code 0.05}, {@code 1}. */
    public static String setting(double value) {
        if (!Double.isFinite(value) || value == 0.0) {
            return of(value);
        }
        // Rounded, because 1 - 0.05 is not exact.
        BigDecimal plain = new BigDecimal(value).round(new MathContext(10)).stripTrailingZeros();
        boolean extreme = Math.abs(value) < MIN_PLAIN || Math.abs(value) >= MAX_PLAIN;
        return extreme
                ? Double.toString(plain.doubleValue()).replace(".0E", "E").replace('E', 'e')
                : plain.toPlainString();
    }

    /**
     * Elapsed or remaining time: {@code 0.4 s}, {@code 12 s}, {@code 3 min 05 s}, {@code 2 h 07
     * min}.
     */
    public static String seconds(double seconds) {
        if (seconds < 9.95) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        long whole = Math.round(seconds);
        if (whole < 60) {
            return whole + " s";
        }
        return whole < 3600
                ? String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%,d h %02d min", whole / 3600, whole % 3600 / 60);
    }
}
