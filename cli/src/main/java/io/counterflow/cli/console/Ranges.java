package io.counterflow.cli.console;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Numbers of the command line with a rule, so that a wrong one is refused under its option's name
 * and before any work is done.
 */
public final class Ranges {

    private Ranges() {}

    /** In (0, 1], as a propensity floor. */
    public static final class PropensityFloor implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(value > 0.0 && value <= 1.0, "must be in (0, 1]", text, value);
        }
    }

    /** In (0, 1), as a probability of failure. */
    public static final class FailureProbability implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(value > 0.0 && value < 1.0, "must be in (0, 1)", text, value);
        }
    }

    /** In [0, 1]. */
    public static final class Share implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(value >= 0.0 && value <= 1.0, "must be in [0, 1]", text, value);
        }
    }

    /** In [0, 100]. */
    public static final class Percentile implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(value >= 0.0 && value <= 100.0, "must be in [0, 100]", text, value);
        }
    }

    /** Finite and above 0. */
    public static final class Positive implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(
                    value > 0.0 && Double.isFinite(value),
                    "must be finite and above 0",
                    text,
                    value);
        }
    }

    /** In (1, 1e6], as a factor by which weights may differ from one. */
    public static final class AboveOne implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(value > 1.0 && value <= 1e6, "must be in (1, 1e6]", text, value);
        }
    }

    /** Finite and at least 0. */
    public static final class NotNegative implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            double value = number(text);
            return require(
                    value >= 0.0 && Double.isFinite(value),
                    "must be finite and at least 0",
                    text,
                    value);
        }
    }

    /** A count of at least 1. */
    public static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            int value = integer(text);
            return require(value >= 1, "must be at least 1", text, value);
        }
    }

    /** Folds of a cross-fit: at least 2, or 0 for none. */
    public static final class Folds implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            int value = integer(text);
            return require(value == 0 || value >= 2, "must be 0 or at least 2", text, value);
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("must be a number, got \"" + text + '"');
        }
    }

    private static int integer(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("must be a whole number, got \"" + text + '"');
        }
    }

    private static <T> T require(boolean holds, String rule, String text, T value) {
        if (!holds) { // NaN holds nowhere
            throw new TypeConversionException(rule + ", got " + text);
        }
        return value;
    }
}
