package io.counterflow.k8s;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads YAML as Kubernetes does. */
final class Yaml {

    private static final ObjectMapper MAPPER =
            new ObjectMapper(
                    YAMLFactory.builder()
                            .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
                            .build());

    private Yaml() {}

    static JsonNode read(Path file) throws IOException {
        return parse(Files.readString(file));
    }

    static JsonNode parse(String text) throws IOException {
        List<JsonNode> documents = documents(text);
        if (documents.size() != 1) {
            throw new IOException("one document was expected, got " + documents.size());
        }
        return documents.get(0);
    }

    /** The documents of a text, which three dashes divide. */
    static List<JsonNode> documents(String text) throws IOException {
        try (JsonParser parser = MAPPER.createParser(text)) {
            List<JsonNode> documents = new ArrayList<>();
            // One by one: an iterator would take the elements of a list for documents.
            for (JsonNode next = MAPPER.readTree(parser);
                    next != null;
                    next = MAPPER.readTree(parser)) {
                documents.add(next);
            }
            return documents;
        }
    }
}
