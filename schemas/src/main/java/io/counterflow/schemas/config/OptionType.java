package io.counterflow.schemas.config;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The type of an option's values.
 *
 * @param text what a value must be, for error messages
 * @param parse converts text to a value; throws an {@link IllegalArgumentException} if it cannot
 */
record OptionType<T>(String text, Range<T> range, Function<String, T> parse) {

    /**
     * The allowed values of a type.
     *
     * @param text the range in words; empty if every value is allowed
     */
    public record Range<T>(String text, Predicate<T> predicate) {

        boolean contains(T value) {
            return predicate.test(value);
        }
    }

    private static final Pattern SIZE_TEXT = Pattern.compile("(\\d{1,15})\\s*([a-z]*)");

    private static final Pattern SHARE_TEXT = Pattern.compile("(\\d{1,3})\\s*%");

    static final OptionType<String> TEXT =
            new OptionType<>("text", anyValue(), Function.identity());

    static final OptionType<Boolean> FLAG =
            new OptionType<>("true or false", anyValue(), OptionType::parseFlag);

    static final OptionType<Duration> DURATION = duration(anyValue());

    static final OptionType<Duration> POSITIVE_DURATION =
            duration(new Range<>("above 0s", value -> !value.isZero()));

    static final OptionType<Long> SIZE =
            new OptionType<>(
                    "a size like 500kb or 64mb",
                    new Range<>("at least 1b", value -> value >= 1),
                    OptionType::parseSize);

    /** A size, or a share of the heap of this process. */
    static final OptionType<Long> HEAP_SIZE =
            new OptionType<>(
                    "a size like 500kb or 64mb within the heap, or a share of it like 50%",
                    new Range<>(
                            "between 1b and the heap",
                            value -> value >= 1 && value <= Runtime.getRuntime().maxMemory()),
                    OptionType::parseHeapSize);

    static OptionType<Integer> integer(int min) {
        return integer(new Range<>("at least " + min, value -> value >= min));
    }

    static OptionType<Integer> integer(int min, int max) {
        return integer(
                new Range<>(
                        "between %d and %d".formatted(min, max),
                        value -> value >= min && value <= max));
    }

    private static OptionType<Integer> integer(Range<Integer> range) {
        return new OptionType<>("a whole number", range, Integer::parseInt);
    }

    static OptionType<Duration> duration(Duration min) {
        return duration(
                new Range<>(
                        "at least " + DurationText.format(min),
                        value -> value.compareTo(min) >= 0));
    }

    private static OptionType<Duration> duration(Range<Duration> range) {
        return new OptionType<>(
                "a duration like 30s, 10m or 1h30m",
                range,
                text -> Require.wholeMillis(DurationText.parse(text), "duration"));
    }

    /** A size that fits into an {@code int}. */
    static OptionType<Integer> bytes(int min) {
        return new OptionType<>(
                "a size like 500kb or 64mb, below 2gb",
                new Range<>("at least %db".formatted(min), value -> value >= min),
                text -> {
                    try {
                        return Math.toIntExact(parseSize(text));
                    } catch (ArithmeticException e) {
                        throw new IllegalArgumentException("2gb or more", e);
                    }
                });
    }

    static <E extends Enum<E>> OptionType<E> choice(Class<E> type) {
        return new OptionType<>(
                Arrays.stream(type.getEnumConstants())
                        .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .collect(Collectors.joining(" or ")),
                anyValue(),
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_')));
    }

    private static <T> Range<T> anyValue() {
        return new Range<>("", value -> true);
    }

    private static boolean parseFlag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static long parseHeapSize(String text) {
        Matcher share = SHARE_TEXT.matcher(text);
        if (!share.matches()) {
            return parseSize(text);
        }
        long percent = Long.parseLong(share.group(1));
        Require.that(percent <= 100, "above 100%%");
        return Runtime.getRuntime().maxMemory() / 100 * percent;
    }

    private static long parseSize(String text) {
        Matcher parts = SIZE_TEXT.matcher(text.toLowerCase(Locale.ROOT));
        Require.that(parts.matches(), "not a number and a unit");
        int shift =
                switch (parts.group(2)) {
                    case "", "b", "bytes" -> 0;
                    case "k", "kb", "kibibytes" -> 10;
                    case "m", "mb", "mebibytes" -> 20;
                    case "g", "gb", "gibibytes" -> 30;
                    case "t", "tb", "tebibytes" -> 40;
                    default -> throw new IllegalArgumentException("unknown unit");
                };
        long amount = Long.parseLong(parts.group(1));
        Require.that(amount <= Long.MAX_VALUE >> shift, "too large");
        return amount << shift;
    }
}
