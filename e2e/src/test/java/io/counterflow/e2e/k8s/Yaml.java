package io.counterflow.e2e.k8s;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Reads YAML as Kubernetes does. */
final class Yaml {

    private static final YAMLMapper MAPPER =
            YAMLMapper.builder(
                            YAMLFactory.builder()
                                    .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
                                    .build())
                    .build();

    private Yaml() {}

    static JsonNode read(Path file) throws IOException {
        return MAPPER.readTree(Files.readString(file));
    }

    static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** The documents that kubectl writes, separated by three dashes. */
    static List<JsonNode> documents(String text) {
        return Stream.of(text.split("\n---\n", -1)).map(Yaml::parse).toList();
    }
}
