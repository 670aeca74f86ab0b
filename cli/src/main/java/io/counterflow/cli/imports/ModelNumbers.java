package io.counterflow.cli.imports;

import java.util.HashMap;
import java.util.Map;

/** Numbers model ids from 1, in the order in which they appear. */
final class ModelNumbers {

    static final int MAX_MODELS = 10_000;

    private final Map<String, Long> numbers = new HashMap<>();

    /** The number of a model; one number for all after the limit. */
    long of(String model) {
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

    int size() {
        return numbers.size();
    }
}
