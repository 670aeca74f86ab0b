package io.counterflow.cli.console;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for options with a range. They reject a bad value before any work starts. */
public final class Ranges {

    private Ranges() {}

    public static final class PropensityFloor extends Real {
        PropensityFloor() {
            super("must be in (0, 1]", value -> value > 0.0 && value <= 1.0);
        }
    }

    public static final class FailureProbability extends Real {
        FailureProbability() {
            super("must be in (0, 1)", value -> value > 0.0 && value < 1.0);
        }
    }

    public static final class Share extends Real {
        Share() {
            super("must be in [0, 1]", value -> value >= 0.0 && value <= 1.0);
        }
    }

    public static final class Percentile extends Real {
        Percentile() {
            super("must be in [0, 100]", value -> value >= 0.0 && value <= 100.0);
        }
    }

    public static final class Positive extends Real {
        Positive() {
            super("must be finite and above 0", value -> value > 0.0 && Double.isFinite(value));
        }
    }

    /** A factor by which weights may differ from 1. */
    public static final class AboveOne extends Real {
        AboveOne() {
            super("must be in (1, 1e6]", value -> value > 1.0 && value <= 1e6);
        }
    }

    public static final class NotNegative extends Real {
        NotNegative() {
            super("must be finite and at least 0", value -> value >= 0.0 && Double.isFinite(value));
        }
    }

    public static final class Finite extends Real {
        Finite() {
            super("must be finite", Double::isFinite);
        }
    }

    public static final class Count extends Whole {
        Count() {
            super("must be at least 1", value -> value >= 1);
        }
    }

    /** The folds of a cross-fit; 0 for none. */
    public static final class Folds extends Whole {
        Folds() {
            super("must be 0 or at least 2", value -> value == 0 || value >= 2);
        }
    }

    /** A number in a range. NaN is in none. */
    private abstract static class Real extends Range<Double> {
        Real(String rule, Predicate<Double> range) {
            super("a number", Double::valueOf, rule, range);
        }
    }

    private abstract static class Whole extends Range<Integer> {
        Whole(String rule, Predicate<Integer> range) {
            super("a whole number", Integer::valueOf, rule, range);
        }
    }

    private abstract static class Range<T> implements ITypeConverter<T> {

        private final String kind;
        private final Function<String, T> parser;
        private final String rule;
        private final Predicate<T> range;

        Range(String kind, Function<String, T> parser, String rule, Predicate<T> range) {
            this.kind = kind;
            this.parser = parser;
            this.rule = rule;
            this.range = range;
        }

        @Override
        public T convert(String text) {
            try {
                T value = parser.apply(text);
                if (range.test(value)) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw new TypeConversionException("must be %s, got \"%s\"".formatted(kind, text));
            }
            throw new TypeConversionException(rule + ", got " + text);
        }
    }

    /** Converts a duration that is not negative; see {@link DurationText}. Ignores case. */
    static Duration duration(String text) {
        try {
            Duration duration = DurationText.parse(text.strip().toLowerCase(Locale.ROOT));
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(
                    "must be a duration like 30s, 10m or 1h30m, got \"" + text + '"');
        }
        throw new TypeConversionException("must not be negative, got \"" + text + '"');
    }
}
