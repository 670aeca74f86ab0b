package io.counterflow.e2e.failures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories with their content. */
final class Trees {

    private Trees() {}

    /** Deletes a directory if it exists, and creates it. */
    static void recreate(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
        Files.createDirectory(directory);
    }
}
