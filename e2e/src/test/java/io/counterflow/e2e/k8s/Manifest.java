package io.counterflow.e2e.k8s;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * One object of a cluster.
 *
 * @param json the whole object
 */
record Manifest(ObjectNode json) {

    static Manifest of(JsonNode json) {
        return new Manifest((ObjectNode) json);
    }

    String kind() {
        return at("/kind").asText();
    }

    String apiVersion() {
        return at("/apiVersion").asText();
    }

    String name() {
        return at("/metadata/name").asText();
    }

    /** The name in messages. */
    String id() {
        return kind() + " " + name();
    }

    JsonNode at(String pointer) {
        return json.at(pointer);
    }

    /** A copy in which one field has another value, or is removed. */
    Manifest with(String pointer, @Nullable String yaml) {
        ObjectNode copy = json.deepCopy();
        JsonPointer field = JsonPointer.compile(pointer);
        ObjectNode parent = (ObjectNode) copy.at(field.head());
        String name = field.last().getMatchingProperty();
        if (yaml == null) {
            parent.remove(name);
        } else {
            parent.set(name, Yaml.parse(yaml));
        }
        return new Manifest(copy);
    }

    /** The entries of a map, such as labels. A missing map has none. */
    Map<String, String> texts(String pointer) {
        return texts(at(pointer));
    }

    static Map<String, String> texts(JsonNode map) {
        Map<String, String> texts = new TreeMap<>();
        map.properties().forEach(it -> texts.put(it.getKey(), it.getValue().asText()));
        return texts;
    }

    /** The existing values at a JSON pointer in which {@code *} stands for all items of a list. */
    static Stream<JsonNode> values(JsonNode json, String pointer) {
        int list = pointer.indexOf("/*");
        if (list < 0) {
            return Stream.of(json.at(pointer)).filter(it -> !it.isMissingNode());
        }
        return StreamSupport.stream(json.at(pointer.substring(0, list)).spliterator(), false)
                .flatMap(it -> values(it, pointer.substring(list + 2)));
    }

    /** The template of the pods that this object creates. */
    Optional<JsonNode> podTemplate() {
        return switch (kind()) {
            case "Deployment" -> Optional.of(at("/spec/template"));
            case "FlinkDeployment" -> Optional.of(at("/spec/podTemplate"));
            default -> Optional.empty();
        };
    }
}
