package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One object that is put into a cluster.
 *
 * @param json all of it
 */
record Manifest(ObjectNode json) {

    static Manifest of(JsonNode json) {
        if (!(json instanceof ObjectNode object)
                || !json.path("kind").isTextual()
                || !json.path("apiVersion").isTextual()
                || !json.at("/metadata/name").isTextual()) {
            throw new IllegalArgumentException(
                    "a manifest must have apiVersion, kind and metadata.name, got " + json);
        }
        return new Manifest(object);
    }

    String kind() {
        return json.get("kind").asText();
    }

    String apiVersion() {
        return json.get("apiVersion").asText();
    }

    String name() {
        return at("/metadata/name").asText();
    }

    /** How it is called in messages. */
    String id() {
        return kind() + " " + name();
    }

    JsonNode at(String pointer) {
        return json.at(pointer);
    }

    /** Texts of a map, such as labels; none where there is no map. */
    Map<String, String> texts(String pointer) {
        return texts(at(pointer));
    }

    static Map<String, String> texts(JsonNode map) {
        Map<String, String> texts = new TreeMap<>();
        map.properties().forEach(it -> texts.put(it.getKey(), it.getValue().asText()));
        return texts;
    }

    /** The pods that it makes: their metadata and spec. */
    Optional<JsonNode> podTemplate() {
        JsonNode template =
                at(kind().equals("FlinkDeployment") ? "/spec/podTemplate" : "/spec/template");
        return template.path("spec").path("containers").isArray()
                ? Optional.of(template)
                : Optional.empty();
    }
}
