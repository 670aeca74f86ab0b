package io.counterflow.serving.http;

import java.util.Locale;
import java.util.Map;

/**
 * The part of a list of loops that a call asks for.
 *
 * @param search part of the names, in lower case; empty for all loops
 * @param offset how many of the loops found to skip
 * @param limit how many to return at most
 */
public record Page(String search, int offset, int limit) {

    public static final int MAX_LIMIT = 1_000;

    /**
     * Reads the query of a call.
     *
     * @param defaultLimit the limit of calls that name none
     * @throws IllegalArgumentException if a number is not one, or is too large
     */
    public static Page of(Map<String, String> query, int defaultLimit) {
        return new Page(
                query.getOrDefault("search", "").toLowerCase(Locale.ROOT),
                number(query, "offset", 0, Integer.MAX_VALUE),
                number(query, "limit", defaultLimit, MAX_LIMIT));
    }

    private static int number(Map<String, String> query, String name, int absent, int max) {
        String text = query.get(name);
        if (text == null) {
            return absent;
        }
        long number = text.matches("\\d{1,10}") ? Long.parseLong(text) : -1;
        if (number < 0 || number > max) {
            throw new IllegalArgumentException(
                    "%s must be an integer from 0 to %d, got \"%s\"".formatted(name, max, text));
        }
        return (int) number;
    }

    /** Whether the search finds a loop. */
    public boolean finds(String loop) {
        return loop.toLowerCase(Locale.ROOT).contains(search);
    }

    /** Whether the loop that was found after {@code before} others is on the page. */
    public boolean contains(int before) {
        return before >= offset && before - offset < limit;
    }
}
