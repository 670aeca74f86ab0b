package io.counterflow.schemas.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/** The keys of a YAML file, written with dots or as nested maps, with their values as text. */
public final class YamlKeys {

    private YamlKeys() {}

    /** Reads a file; an {@link IllegalArgumentException} says what is wrong with it. */
    public static Map<String, String> read(String yaml) {
        try {
            JsonNode root =
                    YAMLMapper.builder()
                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                            .build()
                            .readTree(yaml);
            Map<String, String> values = new LinkedHashMap<>();
            if (!root.isMissingNode() && !root.isNull()) { // an empty file is valid
                flatten("", root, values);
            }
            return values;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "the file must be YAML: " + e.getOriginalMessage(), e);
        }
    }

    /** The text of a file with these keys. */
    public static String write(Map<String, String> values) {
        try {
            return new YAMLMapper().writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // texts can always be written
        }
    }

    private static void flatten(String path, JsonNode node, Map<String, String> values) {
        if (node.isObject()) {
            node.properties()
                    .forEach(
                            field ->
                                    flatten(
                                            path.isEmpty()
                                                    ? field.getKey()
                                                    : path + "." + field.getKey(),
                                            field.getValue(),
                                            values));
        } else if (path.isEmpty()) {
            throw new IllegalArgumentException("the file must be a map of keys");
        } else if (!node.isValueNode() || node.isNull()) {
            throw new IllegalArgumentException(
                    "%s must be one value, got %s"
                            .formatted(path, node.isNull() ? "nothing" : "a list"));
        } else if (values.put(path, node.asText()) != null) {
            throw new IllegalArgumentException(path + " must be given once, got it twice");
        }
    }
}
