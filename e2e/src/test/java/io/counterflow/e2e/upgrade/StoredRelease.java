package io.counterflow.e2e.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a build has written: the backup of its topics, a canonical savepoint of its job, its
 * configuration, and its answers to some requests. The files are kept for ever.
 *
 * @param directory the directory with its name
 */
record StoredRelease(Path directory) {

    static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final Path ALL = Path.of("src/test/resources/releases");

    static StoredRelease named(String name) {
        return new StoredRelease(ALL.resolve(name));
    }

    /** All stored releases, the oldest first. */
    static List<StoredRelease> all() throws IOException {
        try (Stream<Path> directories = Files.list(ALL)) {
            return directories.sorted().map(StoredRelease::new).toList();
        }
    }

    Path topics() {
        return directory.resolve("topics");
    }

    Path savepoint() {
        return directory.resolve("savepoint");
    }

    Path config() {
        return directory.resolve("counterflow.yaml");
    }

    Path answers() {
        return directory.resolve("answers.json");
    }

    JsonNode readAnswers() throws IOException {
        return JSON.readTree(answers().toFile());
    }

    @Override
    public String toString() {
        return directory.getFileName().toString();
    }
}
