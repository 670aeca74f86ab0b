package io.counterflow.cli.imports;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import java.util.ArrayList;
import java.util.List;

/**
 * Features that Vowpal Wabbit cannot read as they are, in the form in which {@code export} writes
 * them and {@code import} reads them back.
 *
 * <p>An array may have numbers and objects only: {@code "a"} becomes {@code {"": "a"}}, which is
 * the feature {@code a} there. The id of an action, which is no feature there, becomes {@code
 * "i":{"id":…}}.
 */
public final class DsjsonFeatures {

    private static final String ITEM = "";

    private DsjsonFeatures() {}

    /** The id of an action as a feature. */
    public static NamedFeatures.Entry id(String id) {
        return new NamedFeatures.Entry(
                "i",
                new NamedFeatures(
                        List.of(new NamedFeatures.Entry("id", new FeatureValue.Text(id)))));
    }

    /** An item of an array. */
    public static FeatureValue toItem(FeatureValue value) {
        boolean plain = value instanceof NamedFeatures object && !isItem(object);
        return plain || value instanceof FeatureValue.Quantity
                ? value
                : new NamedFeatures(List.of(new NamedFeatures.Entry(ITEM, value)));
    }

    private static FeatureValue ofItem(FeatureValue item) {
        return item instanceof NamedFeatures object && isItem(object)
                ? object.entries().get(0).value()
                : item;
    }

    private static boolean isItem(NamedFeatures object) {
        return object.entries().size() == 1 && object.entries().get(0).name().equals(ITEM);
    }

    /** The features of an action without its id. */
    static NamedFeatures withoutId(String id, NamedFeatures features) {
        List<NamedFeatures.Entry> others = new ArrayList<>(features.entries());
        return others.remove(id(id)) ? new NamedFeatures(others) : features;
    }

    /** The features that {@link #toItem} was applied to. */
    static NamedFeatures read(NamedFeatures features) {
        return features.entries().isEmpty()
                ? features
                : new NamedFeatures(
                        features.entries().stream()
                                .map(it -> new NamedFeatures.Entry(it.name(), read(it.value())))
                                .toList());
    }

    private static FeatureValue read(FeatureValue value) {
        if (value instanceof NamedFeatures object) {
            return read(object);
        }
        return value instanceof FeatureValue.Sequence sequence
                ? new FeatureValue.Sequence(
                        sequence.values().stream().map(item -> read(ofItem(item))).toList())
                : value;
    }
}
