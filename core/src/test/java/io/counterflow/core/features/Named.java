package io.counterflow.core.features;

import java.util.ArrayList;
import java.util.List;

/** Named features written briefly. */
final class Named {

    private Named() {}

    /** Names and values in turn; a value is a string, number, boolean, list or named features. */
    static NamedFeatures features(Object... namesAndValues) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entries.add(
                    new NamedFeatures.Entry(
                            (String) namesAndValues[i], value(namesAndValues[i + 1])));
        }
        return new NamedFeatures(entries);
    }

    static NamedAction action(String id, Object... namesAndValues) {
        return new NamedAction(id, features(namesAndValues));
    }

    static FeatureValue value(Object value) {
        if (value instanceof String text) {
            return new FeatureValue.Text(text);
        } else if (value instanceof Number number) {
            return new FeatureValue.Quantity(number.doubleValue());
        } else if (value instanceof Boolean flag) {
            return new FeatureValue.Flag(flag);
        } else if (value instanceof List<?> list) {
            return new FeatureValue.Sequence(
                    list.stream().map(Named::value).map(FeatureValue.class::cast).toList());
        }
        return (FeatureValue) value;
    }
}
