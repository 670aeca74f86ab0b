package io.counterflow.serving.config;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Options of each type; durations and sizes are written as in the job's part of the file. */
final class OptionTypes {

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15})\\s*([a-z]*)");

    private OptionTypes() {}

    static Option<String> text(String key, String defaultText, String description) {
        return new Option<>(key, "text", defaultText, description, text -> text);
    }

    static Option<Integer> integer(String key, int defaultValue, String description) {
        return new Option<>(
                key,
                "a whole number",
                Integer.toString(defaultValue),
                description,
                Integer::parseInt);
    }

    static Option<Boolean> flag(String key, boolean defaultValue, String description) {
        return new Option<>(
                key,
                "true or false",
                Boolean.toString(defaultValue),
                description,
                OptionTypes::parseFlag);
    }

    static <E extends Enum<E>> Option<E> choice(
            String key, Class<E> type, E defaultValue, String description) {
        List<String> names = Arrays.stream(type.getEnumConstants()).map(OptionTypes::name).toList();
        return new Option<>(
                key,
                names.stream().collect(Collectors.joining(" or ")),
                name(defaultValue),
                description,
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
    }

    static Option<Duration> duration(String key, String defaultText, String description) {
        return new Option<>(
                key,
                "a duration like 30s, 10m or 1h30m",
                defaultText,
                description,
                DurationText::parse);
    }

    static Option<Long> size(String key, String defaultText, String description) {
        return new Option<>(
                key,
                "a size such as 500kb or 64mb",
                defaultText,
                description,
                OptionTypes::parseSize);
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static boolean parseFlag(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw new IllegalArgumentException("neither true nor false");
    }

    private static long parseSize(String text) {
        Matcher parts = parts(text);
        long amount = Long.parseLong(parts.group(1));
        int shift =
                switch (parts.group(2)) {
                    case "", "b" -> 0;
                    case "k", "kb" -> 10;
                    case "m", "mb" -> 20;
                    case "g", "gb" -> 30;
                    default -> throw new IllegalArgumentException("no such unit of size");
                };
        if (amount > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("too large");
        }
        return amount << shift;
    }

    private static Matcher parts(String text) {
        Matcher parts = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new IllegalArgumentException("no amount");
        }
        return parts;
    }
}
