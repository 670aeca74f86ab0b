package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The schema of a custom resource, as a cluster reads it but without mercy: a cluster drops fields
 * that it does not know, and here they are problems. Rules in CEL are passed over.
 */
final class StructuralSchema {

    private final JsonNode root;

    /**
     * @param root {@code openAPIV3Schema} of one version
     */
    StructuralSchema(JsonNode root) {
        this.root = root;
    }

    /** What is wrong with an object's fields; its metadata is of another schema. */
    List<String> problems(JsonNode value) {
        List<String> problems = new ArrayList<>();
        check(root, value, "", problems);
        return problems;
    }

    private void check(JsonNode schema, JsonNode value, String path, List<String> problems) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            require(
                    value.isTextual() || value.isIntegralNumber(),
                    "an integer or text",
                    value,
                    path,
                    problems);
            return;
        }
        switch (schema.path("type").asText()) {
            case "object" -> object(schema, value, path, problems);
            case "array" -> array(schema, value, path, problems);
            case "string" -> text(schema, value, path, problems);
            case "integer" -> {
                require(value.isIntegralNumber(), "an integer", value, path, problems);
                range(schema, value, path, problems);
            }
            case "number" -> {
                require(value.isNumber(), "a number", value, path, problems);
                range(schema, value, path, problems);
            }
            case "boolean" -> require(value.isBoolean(), "true or false", value, path, problems);
            default -> require(!value.isNull(), "something", value, path, problems);
        }
        alternatives(schema, value, path, problems);
    }

    private void object(JsonNode schema, JsonNode value, String path, List<String> problems) {
        if (!value.isObject()) {
            require(false, "an object", value, path, problems);
            return;
        }
        for (JsonNode required : schema.path("required")) {
            require(
                    value.has(required.asText()),
                    "there",
                    value,
                    path + "." + required.asText(),
                    problems);
        }
        JsonNode known = schema.path("properties");
        JsonNode others = schema.path("additionalProperties");
        value.properties()
                .forEach(
                        field -> {
                            String at = path + "." + field.getKey();
                            if (known.has(field.getKey())) {
                                check(known.get(field.getKey()), field.getValue(), at, problems);
                            } else if (others.isObject()) {
                                check(others, field.getValue(), at, problems);
                            } else if (!isOpen(schema) && !isMetadata(at, field.getKey())) {
                                problems.add(at.substring(1) + " is not known");
                            }
                        });
    }

    private static boolean isOpen(JsonNode schema) {
        return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    }

    /** What every object has, whether its schema says so or not; pods in it among them. */
    private static boolean isMetadata(String at, String field) {
        return at.startsWith(".metadata.")
                || (at.lastIndexOf('.') == 0
                        && (field.equals("metadata")
                                || field.equals("kind")
                                || field.equals("apiVersion")));
    }

    private void array(JsonNode schema, JsonNode value, String path, List<String> problems) {
        require(value.isArray(), "a list", value, path, problems);
        require(
                !value.isArray() || value.size() >= schema.path("minItems").asInt(),
                "a list of at least " + schema.path("minItems").asInt(),
                value,
                path,
                problems);
        int i = 0;
        for (JsonNode item : value) {
            check(schema.path("items"), item, path + "[" + i++ + "]", problems);
        }
    }

    private void text(JsonNode schema, JsonNode value, String path, List<String> problems) {
        require(value.isTextual(), "text", value, path, problems);
        if (schema.has("enum")) {
            boolean listed = false;
            for (JsonNode constant : schema.get("enum")) {
                listed |= constant.equals(value);
            }
            require(listed, "one of " + schema.get("enum"), value, path, problems);
        }
        if (schema.has("pattern")) {
            String pattern = schema.get("pattern").asText();
            require(value.asText().matches(pattern), "like " + pattern, value, path, problems);
        }
    }

    private void range(JsonNode schema, JsonNode value, String path, List<String> problems) {
        if (schema.has("minimum")) {
            double least = schema.get("minimum").asDouble();
            require(value.asDouble() >= least, "at least " + least, value, path, problems);
        }
        if (schema.has("maximum")) {
            double most = schema.get("maximum").asDouble();
            require(value.asDouble() <= most, "at most " + most, value, path, problems);
        }
    }

    /** Alternatives say which fields belong together; what else they may be is said beside them. */
    private static void alternatives(
            JsonNode schema, JsonNode value, String path, List<String> problems) {
        for (String word : List.of("oneOf", "anyOf")) {
            if (!schema.has(word)) {
                continue;
            }
            boolean fits = false;
            for (JsonNode alternative : schema.get(word)) {
                boolean hasAll = true;
                for (JsonNode required : alternative.path("required")) {
                    hasAll &= value.has(required.asText());
                }
                fits |= hasAll;
            }
            require(fits, "as one of " + schema.get(word), value, path, problems);
        }
    }

    private static void require(
            boolean holds, String what, JsonNode value, String path, List<String> problems) {
        if (!holds) {
            problems.add(
                    path.isEmpty()
                            ? "it must be " + what
                            : what.equals("there")
                                    ? path.substring(1) + " must be there"
                                    : "%s must be %s, got %s"
                                            .formatted(path.substring(1), what, value));
        }
    }
}
