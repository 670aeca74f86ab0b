package io.counterflow.cli.imports;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of models: that of a policy of Counterflow if {@code export} has written its name,
 * and otherwise a number from 1, in the order in which the models appear.
 */
final class ModelNumbers {

    static final int MAX_MODELS = 10_000;

    private static final Pattern OWN = Pattern.compile("counterflow-([1-9][0-9]{0,17})");

    private final Map<String, Long> numbers = new HashMap<>();

    /** The number of a model; one number for all after the limit. */
    long of(String model) {
        Matcher own = OWN.matcher(model);
        if (own.matches()) {
            return Long.parseLong(own.group(1));
        }
        Long known = numbers.get(model);
        if (known != null) {
            return known;
        }
        if (numbers.size() == MAX_MODELS) {
            return MAX_MODELS + 1L;
        }
        long next = numbers.size() + 1L;
        numbers.put(model, next);
        return next;
    }

    /** Whether a model shares its number with others, because it came after the limit. */
    boolean isShared(String model) {
        return !OWN.matcher(model).matches() && !numbers.containsKey(model);
    }
}
