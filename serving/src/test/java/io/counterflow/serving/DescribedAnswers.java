package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Compares the answers of a server with their description in the OpenAPI document. */
final class DescribedAnswers {

    private static final JsonNode DOCUMENT = read();

    private DescribedAnswers() {}

    private static JsonNode read() {
        try (InputStream in = DescribedAnswers.class.getResourceAsStream("openapi.yaml")) {
            return new YAMLMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails if a field of the answer is not described, is missing or has another type. */
    static void check(String method, String path, int status, JsonNode answer) {
        for (Map.Entry<String, JsonNode> route : DOCUMENT.get("paths").properties()) {
            String pattern = route.getKey().replaceAll("\\{[a-zA-Z]+}", "[^/]+");
            JsonNode responses = route.getValue().path(method).path("responses");
            if (path.matches(pattern) && !responses.isMissingNode()) {
                JsonNode response = responses.path(Integer.toString(status));
                JsonNode content =
                        resolved(response.isMissingNode() ? responses.get("default") : response)
                                .path("content");
                JsonNode schema = content.findPath("schema");
                assertThat(schema.isMissingNode())
                        .as(
                                "%s %s answers %d with a body that is not described",
                                method, path, status)
                        .isFalse();
                check(schema, answer, path);
                return;
            }
        }
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? DOCUMENT.at(node.get("$ref").asText().substring(1)) : node;
    }

    private static void check(JsonNode given, JsonNode value, String at) {
        JsonNode schema = resolved(given);
        if (schema.has("anyOf")) {
            assertThat(schema.get("anyOf"))
                    .as("%s is %s", at, value.getNodeType())
                    .anySatisfy(it -> check(it, value, at));
            return;
        }
        if (schema.has("oneOf")) {
            assertThat(schema.get("oneOf"))
                    .as("%s is %s", at, value.getNodeType())
                    .filteredOn(it -> matches(it, value))
                    .hasSize(1);
            return;
        }
        if (schema.isObject() && !schema.has("type")) { // any value
            return;
        }
        JsonNode type = schema.path("type");
        List<String> types =
                type.isArray()
                        ? type.valueStream().map(JsonNode::asText).toList()
                        : List.of(type.asText());
        assertThat(types).as(at).contains(typeOf(value, types));
        if (schema.has("enum")) {
            assertThat(schema.get("enum")).as(at).contains(value);
        }
        if (value.isArray()) {
            value.forEach(it -> check(schema.get("items"), it, at + "[]"));
        } else if (value.isObject()) {
            schema.path("required")
                    .forEach(it -> assertThat(value.has(it.asText())).as(at + "/" + it).isTrue());
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                String name = at + "/" + field.getKey();
                JsonNode known = schema.path("properties").path(field.getKey());
                JsonNode other = schema.path("additionalProperties");
                if (!known.isMissingNode()) {
                    check(known, field.getValue(), name);
                } else if (other.isObject()) {
                    check(other, field.getValue(), name);
                } else {
                    assertThat(other.asBoolean()).as(name + " is not described").isTrue();
                }
            }
        }
    }

    private static boolean matches(JsonNode schema, JsonNode value) {
        try {
            check(schema, value, "");
            return true;
        } catch (AssertionError e) { // the message does not say which alternative was meant
            return false;
        }
    }

    private static String typeOf(JsonNode value, List<String> expected) {
        return switch (value.getNodeType()) {
            case OBJECT -> "object";
            case ARRAY -> "array";
            case STRING -> "string";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case NUMBER ->
                    value.isIntegralNumber() && expected.contains("integer") ? "integer" : "number";
            default -> throw new AssertionError(value.getNodeType());
        };
    }
}
