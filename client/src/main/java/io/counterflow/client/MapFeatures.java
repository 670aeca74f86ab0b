package io.counterflow.client;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Named features from what Java programs have: maps of strings, numbers, booleans, lists and maps.
 *
 * <p>Sorted by name, because maps such as {@code Map.of} have another order at every start, and
 * sums in another order have other last digits.
 */
public final class MapFeatures {

    private static final int DEEPEST = 16;

    private MapFeatures() {}

    /** The features of a map. Messages do not quote it: it may be users' data. */
    public static NamedFeatures of(Map<String, ?> map) {
        return features(map, DEEPEST);
    }

    private static NamedFeatures features(Map<?, ?> map, int depth) {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach(
                (name, value) -> {
                    if (!(name instanceof String text)) {
                        throw new IllegalArgumentException(
                                "names of features must be strings, got others");
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
                    "features must not be deeper than " + DEEPEST + ", got more");
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
