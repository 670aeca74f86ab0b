package io.counterflow.serving.config;

import java.util.function.Function;

/**
 * A key of the configuration.
 *
 * @param key its name
 * @param type what a value must be, in words
 * @param defaultText the value without the key, as it would be written
 * @param description what it does
 * @param parse from text to value; an {@link IllegalArgumentException} says that it cannot
 * @param <T> what a value is
 */
public record Option<T>(
        String key,
        String type,
        String defaultText,
        String description,
        Function<String, T> parse) {

    /** The value that a text stands for. */
    T read(String text) {
        try {
            return parse.apply(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s must be %s, got \"%s\"".formatted(key, type, text), e);
        }
    }

    @Override
    public String toString() {
        return key;
    }
}
