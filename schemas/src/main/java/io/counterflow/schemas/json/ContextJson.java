package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Context;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields {@code context} and {@code actions} of an impression, collected in any order.
 *
 * <p>{@code context} is one of {@code {"dense":[…]}}, {@code {"sparse":{"dimension":…,
 * "indices":[…], "values":[…]}}} and {@code {"features":{…}}}. The others may be {@code null} or
 * empty, because generated clients send all three.
 */
public final class ContextJson {

    private final JsonLimits limits;
    private final FeatureBudget budget;
    private @Nullable DenseVector dense;
    private @Nullable SparseVector sparse;
    private @Nullable NamedFeatures named;
    private @Nullable List<NamedAction> actions;

    public ContextJson(JsonLimits limits) {
        this.limits = limits;
        this.budget = new FeatureBudget(limits.maxFeatures());
    }

    /** Reads the current value of the document as {@code context}. */
    public void readContext(JsonDocument document) throws IOException {
        document.require(JsonToken.START_OBJECT, "context", "an object");
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            if (document.nextToken() == JsonToken.VALUE_NULL) { // null is the same as absent
                continue;
            }
            switch (name) {
                case "dense" -> {
                    requireFirst(dense, "dense");
                    dense = DenseVector.owning(floats(document, "context.dense"));
                }
                case "sparse" -> {
                    requireFirst(sparse, "sparse");
                    sparse = sparse(document);
                }
                case "features" -> {
                    requireFirst(named, "features");
                    named = NamedFeaturesJson.read(document, "context.features", budget);
                }
                default ->
                        throw new InvalidJsonException(
                                "context",
                                "must have one of dense, sparse and features, got another field");
            }
        }
        keepOne();
    }

    private static void requireFirst(@Nullable Object earlier, String name) {
        if (earlier != null) {
            throw new InvalidJsonException("context", "must have " + name + " once, got it again");
        }
    }

    /** Drops what is empty if something else was given. */
    private void keepOne() {
        boolean hasDense = dense != null && dense.dimension() > 0;
        boolean hasSparse = sparse != null;
        boolean hasNamed = named != null && !named.entries().isEmpty();
        if ((hasDense ? 1 : 0) + (hasSparse ? 1 : 0) + (hasNamed ? 1 : 0) > 1) {
            throw new InvalidJsonException(
                    "context", "must have one of dense, sparse and features, got several");
        }
        if (hasDense || hasSparse) {
            named = null;
        }
        if (hasSparse || named != null) {
            dense = null;
        }
    }

    /** Reads a vector; null for an empty object. */
    private @Nullable SparseVector sparse(JsonDocument document) throws IOException {
        document.require(JsonToken.START_OBJECT, "context.sparse", "an object");
        boolean empty = true;
        int dimension = -1;
        int @Nullable [] indices = null;
        float @Nullable [] values = null;
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            empty = false;
            document.nextToken();
            switch (name) {
                case "dimension" -> dimension = document.index("context.sparse.dimension");
                case "indices" -> indices = ints(document, "context.sparse.indices");
                case "values" -> values = floats(document, "context.sparse.values");
                default -> document.skip();
            }
        }
        if (empty) {
            return null;
        }
        if (dimension < 0 || indices == null || values == null) {
            throw new InvalidJsonException(
                    "context.sparse", "must have dimension, indices and values, got not all");
        }
        try {
            return new SparseVector(dimension, indices, values);
        } catch (IllegalArgumentException e) {
            throw new InvalidJsonException("context.sparse", "is not a vector: " + e.getMessage());
        }
    }

    private float[] floats(JsonDocument document, String field) throws IOException {
        document.require(JsonToken.START_ARRAY, field, "an array of numbers");
        float[] values = new float[64];
        int n = 0;
        while (document.nextToken() != JsonToken.END_ARRAY) {
            budget.spend(field);
            if (n == values.length) {
                values = Arrays.copyOf(values, 2 * n);
            }
            values[n++] = document.floatNumber(field);
        }
        return Arrays.copyOf(values, n);
    }

    private int[] ints(JsonDocument document, String field) throws IOException {
        document.require(JsonToken.START_ARRAY, field, "an array of whole numbers");
        int[] values = new int[64];
        int n = 0;
        while (document.nextToken() != JsonToken.END_ARRAY) {
            budget.spend(field);
            if (n == values.length) {
                values = Arrays.copyOf(values, 2 * n);
            }
            values[n++] = document.index(field);
        }
        return Arrays.copyOf(values, n);
    }

    /** Reads the current value of the document as {@code actions}. */
    public void readActions(JsonDocument document) throws IOException {
        actions = document.list("actions", "an array", limits.maxActions(), () -> action(document));
    }

    private NamedAction action(JsonDocument document) throws IOException {
        document.require(JsonToken.START_OBJECT, "", "an object");
        String id = "";
        NamedFeatures features = NamedFeatures.none();
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            document.nextToken();
            switch (name) {
                case "id" -> id = document.text("id");
                case "features" -> features = NamedFeaturesJson.read(document, "features", budget);
                default -> document.skip();
            }
        }
        return new NamedAction(id, features); // Context.Named refuses an empty id
    }

    public Context context() {
        FeatureVector vector = dense == null ? sparse : dense;
        if (vector != null) {
            if (actions != null && !actions.isEmpty()) {
                throw new InvalidJsonException(
                        "actions", "must be absent when context is a vector: a fixed list applies");
            }
            return new Context.Vector(vector);
        }
        if (named == null) {
            throw new InvalidJsonException(
                    "context", "must be given with one of dense, sparse and features");
        }
        return new Context.Named(named, actions == null ? List.of() : actions);
    }

    /** Writes the fields {@code context} and, if there are any, {@code actions}. */
    public static void write(Context context, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("context");
        if (context instanceof Context.Named named) {
            json.writeFieldName("features");
            NamedFeaturesJson.write(named.features(), json);
        } else if (context instanceof Context.Vector vector) {
            writeVector(vector.features(), json);
        }
        json.writeEndObject();
        if (context instanceof Context.Named named && !named.actions().isEmpty()) {
            json.writeArrayFieldStart("actions");
            for (NamedAction action : named.actions()) {
                json.writeStartObject();
                json.writeStringField("id", JsonDocument.requireUnicode("id", action.id()));
                json.writeFieldName("features");
                NamedFeaturesJson.write(action.features(), json);
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    private static void writeVector(FeatureVector vector, JsonGenerator json) throws IOException {
        if (vector instanceof DenseVector dense) {
            writeFloats("dense", dense.values(), json);
        } else if (vector instanceof SparseVector sparse) {
            json.writeObjectFieldStart("sparse");
            json.writeNumberField("dimension", sparse.dimension());
            json.writeArrayFieldStart("indices");
            for (int index : sparse.indices()) {
                json.writeNumber(index);
            }
            json.writeEndArray();
            writeFloats("values", sparse.values(), json);
            json.writeEndObject();
        }
    }

    private static void writeFloats(String field, float[] values, JsonGenerator json)
            throws IOException {
        json.writeArrayFieldStart(field);
        for (float value : values) {
            json.writeNumber(value);
        }
        json.writeEndArray();
    }
}
