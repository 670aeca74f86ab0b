package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Named features as a JSON object: strings, numbers, booleans, arrays and nested objects, in their
 * order. {@code null} is omitted. Thread safe.
 */
public final class NamedFeaturesJson {

    /** What names and {@code null} mean. */
    public enum Dialect {
        /** {@code null} is omitted. */
        COUNTERFLOW,
        /** Names that begin with {@code _} are omitted, and {@code null} is the text "null". */
        PERSONALIZER
    }

    private static final FeatureValue NULL_TEXT = new FeatureValue.Text("null");

    private final JsonLimits limits;

    public NamedFeaturesJson(JsonLimits limits) {
        this.limits = limits;
    }

    /** Reads a JSON object. Other text is refused with an {@link InvalidJsonException}. */
    public NamedFeatures read(String json) {
        return JsonDocument.read(
                limits,
                json,
                document -> read(document, "features", new FeatureBudget(limits.maxFeatures())));
    }

    /** Reads the current object of the document. */
    public static NamedFeatures read(JsonDocument document, String field, FeatureBudget budget)
            throws IOException {
        return read(document, field, budget, Dialect.COUNTERFLOW);
    }

    /** Reads the current object of the document, as another system would read it. */
    public static NamedFeatures read(
            JsonDocument document, String field, FeatureBudget budget, Dialect dialect)
            throws IOException {
        document.require(JsonToken.START_OBJECT, field, "an object");
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            JsonDocument.requireUnicode(field, name);
            boolean isNull = document.nextToken() == JsonToken.VALUE_NULL;
            if (dialect == Dialect.PERSONALIZER && name.startsWith("_")) {
                document.skip();
            } else if (!isNull || dialect == Dialect.PERSONALIZER) {
                entries.add(new NamedFeatures.Entry(name, value(document, field, budget, dialect)));
            }
        }
        return entries.isEmpty() ? NamedFeatures.none() : new NamedFeatures(entries);
    }

    /**
     * Reads the current value of the document; null only where the dialect has a meaning for it.
     * Names of features may be user data, so messages name only the field that contains them.
     */
    public static FeatureValue value(
            JsonDocument document, String field, FeatureBudget budget, Dialect dialect)
            throws IOException {
        budget.spend(field);
        return switch (document.token()) {
            case START_OBJECT -> read(document, field, budget, dialect);
            case START_ARRAY -> sequence(document, field, budget, dialect);
            case VALUE_STRING -> new FeatureValue.Text(document.text(field));
            case VALUE_TRUE, VALUE_FALSE -> new FeatureValue.Flag(document.flag(field));
            case VALUE_NULL -> NULL_TEXT;
            default -> new FeatureValue.Quantity(document.number(field));
        };
    }

    /** Personalizer allows no {@code null} in an array. */
    private static FeatureValue sequence(
            JsonDocument document, String field, FeatureBudget budget, Dialect dialect)
            throws IOException {
        List<FeatureValue> values = new ArrayList<>();
        while (document.nextToken() != JsonToken.END_ARRAY) {
            if (document.token() != JsonToken.VALUE_NULL) {
                values.add(value(document, field, budget, dialect));
            }
        }
        return new FeatureValue.Sequence(values);
    }

    /** Writes the features as the generator's next value. */
    public static void write(NamedFeatures features, JsonGenerator generator) throws IOException {
        generator.writeRawValue(write(features));
    }

    /** The features as JSON text, which {@link #read(String)} reads back. */
    public static String write(NamedFeatures features) {
        StringBuilder json = new StringBuilder(64);
        write(features, json);
        return json.toString();
    }

    private static void write(NamedFeatures features, StringBuilder json) {
        json.append('{');
        List<NamedFeatures.Entry> entries = features.entries();
        for (int i = 0; i < entries.size(); i++) {
            if (i > 0) {
                json.append(',');
            }
            JsonText.append(entries.get(i).name(), json);
            json.append(':');
            write(entries.get(i).value(), json);
        }
        json.append('}');
    }

    private static void write(FeatureValue value, StringBuilder json) {
        if (value instanceof NamedFeatures namespace) {
            write(namespace, json);
        } else if (value instanceof FeatureValue.Text text) {
            JsonText.append(text.value(), json);
        } else if (value instanceof FeatureValue.Quantity quantity) {
            JsonText.append(quantity.value(), json);
        } else if (value instanceof FeatureValue.Flag flag) {
            json.append(flag.value());
        } else if (value instanceof FeatureValue.Sequence sequence) {
            write(sequence.values(), json);
        }
    }

    private static void write(List<FeatureValue> values, StringBuilder json) {
        json.append('[');
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                json.append(',');
            }
            write(values.get(i), json);
        }
        json.append(']');
    }
}
