package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Named features as a JSON object: strings, numbers, booleans, arrays and nested objects, in their
 * order. {@code null} is omitted. Thread safe.
 */
public final class NamedFeaturesJson {

    private final JsonLimits limits;
    private final JsonFactory factory;

    public NamedFeaturesJson(JsonLimits limits) {
        this.limits = limits;
        this.factory = JsonDocument.factory(limits);
    }

    /** Reads a JSON object. Other text is refused with an {@link InvalidJsonException}. */
    public NamedFeatures read(String json) {
        return JsonDocument.read(
                factory,
                json,
                document -> read(document, "features", new FeatureBudget(limits.maxFeatures())));
    }

    /** Reads the current object of the document. */
    public static NamedFeatures read(JsonDocument document, String field, FeatureBudget budget)
            throws IOException {
        document.require(JsonToken.START_OBJECT, field, "an object");
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            JsonDocument.requireUnicode(field, name);
            if (document.nextToken() != JsonToken.VALUE_NULL) {
                entries.add(new NamedFeatures.Entry(name, value(document, field, budget)));
            }
        }
        return entries.isEmpty() ? NamedFeatures.none() : new NamedFeatures(entries);
    }

    /** Names of features may be user data, so messages name only the field that contains them. */
    private static FeatureValue value(JsonDocument document, String field, FeatureBudget budget)
            throws IOException {
        budget.spend(field);
        return switch (document.token()) {
            case START_OBJECT -> read(document, field, budget);
            case START_ARRAY -> sequence(document, field, budget);
            case VALUE_STRING -> new FeatureValue.Text(document.text(field));
            case VALUE_TRUE, VALUE_FALSE -> new FeatureValue.Flag(document.flag(field));
            default -> new FeatureValue.Quantity(document.number(field));
        };
    }

    private static FeatureValue sequence(JsonDocument document, String field, FeatureBudget budget)
            throws IOException {
        List<FeatureValue> values = new ArrayList<>();
        while (document.nextToken() != JsonToken.END_ARRAY) {
            if (document.token() != JsonToken.VALUE_NULL) {
                values.add(value(document, field, budget));
            }
        }
        return new FeatureValue.Sequence(values);
    }

    /** The features as JSON text, which {@link #read(String)} reads back. */
    public String write(NamedFeatures features) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = factory.createGenerator(text)) {
            write(features, generator);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    /** Writes the features as the generator's next value. */
    public static void write(NamedFeatures features, JsonGenerator generator) throws IOException {
        generator.writeStartObject();
        for (NamedFeatures.Entry entry : features.entries()) {
            generator.writeFieldName(JsonDocument.requireUnicode("features", entry.name()));
            write(entry.value(), generator);
        }
        generator.writeEndObject();
    }

    private static void write(FeatureValue value, JsonGenerator generator) throws IOException {
        if (value instanceof NamedFeatures namespace) {
            write(namespace, generator);
        } else if (value instanceof FeatureValue.Text text) {
            generator.writeString(JsonDocument.requireUnicode("features", text.value()));
        } else if (value instanceof FeatureValue.Quantity quantity) {
            generator.writeNumber(quantity.value());
        } else if (value instanceof FeatureValue.Flag flag) {
            generator.writeBoolean(flag.value());
        } else if (value instanceof FeatureValue.Sequence sequence) {
            generator.writeStartArray();
            for (FeatureValue element : sequence.values()) {
                write(element, generator);
            }
            generator.writeEndArray();
        }
    }
}
