package io.counterflow.flink.config;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

/** What an option's value must be, and how a value is shown, in words. */
final class OptionType {

    private OptionType() {}

    static String of(ConfigOption<?> option) {
        Object example = option.defaultValue();
        if (example instanceof Duration) {
            return "a duration like 30s, 10m or 1h30m";
        }
        if (example instanceof MemorySize) {
            return "a size such as 500kb or 64mb";
        }
        if (example instanceof Integer) {
            return "a whole number";
        }
        if (example instanceof Boolean) {
            return "true or false";
        }
        if (example instanceof Enum<?> value) {
            return Arrays.stream(value.getDeclaringClass().getEnumConstants())
                    .map(OptionType::show)
                    .collect(Collectors.joining(" or "));
        }
        return "text";
    }

    /** A value as it is written in the file. */
    static String show(Object value) {
        if (value instanceof Duration duration) {
            return DurationText.format(duration);
        }
        if (value instanceof MemorySize size) {
            return size.getBytes() % (1 << 20) == 0
                    ? size.getMebiBytes() + "mb"
                    : size.getBytes() + "b";
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT);
        }
        return value.toString();
    }
}
