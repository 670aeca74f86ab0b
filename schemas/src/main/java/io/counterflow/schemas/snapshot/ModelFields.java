package io.counterflow.schemas.snapshot;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.schemas.json.JsonDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The fields of a snapshot's JSON object that describe its model. */
final class ModelFields {

    private String kind = "";
    private int actions = -1;
    private int features = -1;
    private float @Nullable [][] rows;
    private float @Nullable [] biases;
    private int bits;
    private List<Interaction> interactions = EncoderSpec.ALL_INTERACTIONS;
    private boolean actionIds = true;
    private @Nullable Map<Integer, Float> hashed;

    /** Reads a field that belongs to the model; false leaves any other alone. */
    boolean readField(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "model" -> kind = json.text(name);
            case "actions" -> actions = json.index(name);
            case "features" -> features = json.index(name);
            case "bits" -> bits = json.index(name);
            case "interactions" ->
                    interactions = texts(name, json).stream().map(Interaction::parse).toList();
            case "actionIds" -> actionIds = json.flag(name);
            case "biases" -> biases = floats(name, json);
            case "weights" -> {
                if (json.token() == JsonToken.START_OBJECT) {
                    hashed = entries(json);
                } else {
                    rows = rows(json);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static float[][] rows(JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, "weights", "an array of arrays, or an object");
        List<float[]> rows = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            rows.add(floats("weights[" + rows.size() + "]", json));
        }
        return rows.toArray(float[][]::new);
    }

    private static float[] floats(String field, JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, field, "an array of numbers");
        float[] values = new float[64];
        int n = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (n == values.length) {
                values = Arrays.copyOf(values, 2 * n);
            }
            values[n++] = json.floatNumber(field);
        }
        return Arrays.copyOf(values, n);
    }

    private static List<String> texts(String field, JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, field, "an array of strings");
        List<String> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            values.add(json.text(field));
        }
        return values;
    }

    private static Map<Integer, Float> entries(JsonDocument json) throws IOException {
        Map<Integer, Float> entries = new TreeMap<>();
        for (Optional<String> name = json.nextField(); name.isPresent(); name = json.nextField()) {
            json.nextToken();
            if (entries.put(index(name.get()), json.floatNumber("weights")) != null) {
                throw new IllegalArgumentException("weights must have each index once");
            }
        }
        return entries;
    }

    private static int index(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "weights must have whole numbers as names, got another text", e);
        }
    }

    LinearModel model() {
        return switch (kind) {
            case "dense" -> dense();
            case "hashed" -> hashed();
            case "" -> throw new IllegalArgumentException("model must be given, dense or hashed");
            default ->
                    throw new IllegalArgumentException(
                            "model must be dense or hashed, got another");
        };
    }

    private LinearModel dense() {
        if (rows == null || biases == null) {
            throw new IllegalArgumentException(
                    "weights (an array of arrays) and biases must be given with a dense model");
        }
        DenseModel model = new DenseModel(rows, biases);
        requireShape("actions", actions, model.actions());
        requireShape("features", features, model.dimension());
        return model;
    }

    private static void requireShape(String field, int declared, int actual) {
        if (declared >= 0 && declared != actual) {
            throw new IllegalArgumentException(
                    "%s must be %d as in weights, got %d".formatted(field, actual, declared));
        }
    }

    private LinearModel hashed() {
        if (hashed == null) {
            throw new IllegalArgumentException(
                    "weights (an object from index to value) must be given with a hashed model");
        }
        int[] indices = new int[hashed.size()];
        float[] values = new float[hashed.size()];
        int n = 0;
        for (Map.Entry<Integer, Float> entry : hashed.entrySet()) {
            indices[n] = entry.getKey();
            values[n++] = entry.getValue();
        }
        return ModelConversion.hashedModel(bits, indices, values);
    }

    Optional<EncoderSpec> encoder() {
        return kind.equals("hashed")
                ? Optional.of(new EncoderSpec(bits, interactions, actionIds))
                : Optional.empty();
    }
}
