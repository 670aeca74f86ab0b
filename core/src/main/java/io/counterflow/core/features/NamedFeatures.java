package io.counterflow.core.features;

import java.util.List;

/**
 * Features by name, as clients send them: strings, numbers, booleans, lists and nested namespaces.
 * Immutable; entries keep their order.
 *
 * @param entries names with their values
 */
public record NamedFeatures(List<Entry> entries) implements FeatureValue {

    private static final NamedFeatures NONE = new NamedFeatures(List.of());

    public NamedFeatures {
        entries = List.copyOf(entries);
    }

    public static NamedFeatures none() {
        return NONE;
    }

    /**
     * A name with its value; a value that is {@link NamedFeatures} turns the name into a namespace.
     */
    public record Entry(String name, FeatureValue value) {}

    /** Contains the number of entries only: the values are user data and must not be logged. */
    @Override
    public String toString() {
        return "NamedFeatures[" + entries.size() + " entries]";
    }
}
