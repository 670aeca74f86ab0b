package io.counterflow.schemas.config;

import java.util.Set;

/**
 * A key of the configuration file.
 *
 * @param type type and range of its values
 * @param defaultText the default value, as it is written in the file
 * @param <T> the Java type of its values
 */
public record Option<T>(
        String key,
        OptionType<T> type,
        String defaultText,
        Set<Component> readBy,
        String description) {

    /**
     * Parses a value and checks its range.
     *
     * @throws IllegalArgumentException if the value is invalid; the message names the key
     */
    T parse(String text) {
        T value;
        try {
            value = type.parse().apply(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s must be %s, got \"%s\"".formatted(key, type.text(), text), e);
        }
        if (!type.range().contains(value)) {
            throw new IllegalArgumentException(
                    "%s must be %s, got %s".formatted(key, type.range().text(), text));
        }
        return value;
    }

    /** The environment variable that overrides the key. */
    public String variable() {
        return ConfigVariables.of(key);
    }

    @Override
    public String toString() {
        return key;
    }
}
