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
 * "indices":[…], "values":[…]}}} and {@code {"features":{…}}}.
 */
public final class ContextJson {

    private final JsonLimits limits;
    private final FeatureBudget budget;
    private @Nullable FeatureVector vector;
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
            if (vector != null || named != null) {
                throw new InvalidJsonException(
                        "context", "must have one of dense, sparse and features, got several");
            }
            document.nextToken();
            switch (name) {
                case "dense" -> vector = DenseVector.owning(floats(document, "context.dense"));
                case "sparse" -> vector = sparse(document);
                case "features" ->
                        named = NamedFeaturesJson.read(document, "context.features", budget);
                default ->
                        throw new InvalidJsonException(
                                "context",
                                "must have one of dense, sparse and features, got another field");
            }
        }
    }

    private SparseVector sparse(JsonDocument document) throws IOException {
        document.require(JsonToken.START_OBJECT, "context.sparse", "an object");
        int dimension = -1;
        int @Nullable [] indices = null;
        float @Nullable [] values = null;
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            document.nextToken();
            switch (name) {
                case "dimension" -> dimension = document.index("context.sparse.dimension");
                case "indices" -> indices = ints(document, "context.sparse.indices");
                case "values" -> values = floats(document, "context.sparse.values");
                default -> document.skip();
            }
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
        if (vector != null) {
            if (actions != null) {
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
