package io.counterflow.client;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Converts maps of strings, numbers, booleans, lists and maps to named features.
 *
 * <p>Features are sorted by name, because the order of {@code Map.of} differs between JVMs, and the
 * order of a sum changes its last digits.
 */
public final class MapFeatures {

    private static final int MAX_DEPTH = 16;

    private MapFeatures() {}

    /** The features of a map. Messages do not quote it, because it may hold user data. */
    public static NamedFeatures of(Map<String, ?> map) {
        return features(map, MAX_DEPTH);
    }

    private static NamedFeatures features(Map<?, ?> map, int depth) {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach(
                (name, value) -> {
                    if (!(name instanceof String text)) {
                        throw new IllegalArgumentException("names of features must be strings");
                    }
                    sorted.put(text, value);
                });
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        sorted.forEach(
                (name, value) -> entries.add(new NamedFeatures.Entry(name, value(value, depth))));
        return new NamedFeatures(entries);
    }

    private static FeatureValue value(Object value, int depth) {
        if (depth == 0) {
            throw new IllegalArgumentException(
                    "features must not be nested deeper than " + MAX_DEPTH);
        }
        if (value instanceof String text) {
            return new FeatureValue.Text(text);
        }
        if (value instanceof Number number) {
            return new FeatureValue.Quantity(number.doubleValue());
        }
        if (value instanceof Boolean flag) {
            return new FeatureValue.Flag(flag);
        }
        if (value instanceof Map<?, ?> namespace) {
            return features(namespace, depth - 1);
        }
        if (value instanceof List<?> list) {
            List<FeatureValue> values = new ArrayList<>();
            list.forEach(element -> values.add(value(element, depth - 1)));
            return new FeatureValue.Sequence(values);
        }
        throw new IllegalArgumentException(
                "features must be strings, numbers, booleans, lists and maps, got "
                        + (value == null ? "null" : value.getClass().getSimpleName()));
    }
}
