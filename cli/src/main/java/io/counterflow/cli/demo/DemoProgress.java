package io.counterflow.cli.demo;

import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * The file with the settings and the progress of a demo.
 *
 * @param dataset the simulated traffic
 * @param seed seed of the users
 * @param nextEvent the number of the next event, at least 1
 */
record DemoProgress(String dataset, long seed, long nextEvent) {

    /** The file's name. */
    static final String FILE = "demo.properties";

    private static final String DATASET = "dataset";
    private static final String SEED = "seed";
    private static final String NEXT_EVENT = "next-event";

    DemoProgress {
        Require.atLeast(1, nextEvent, "nextEvent");
    }

    /** Reads the file; empty if it is missing or not written by a demo. */
    static Optional<DemoProgress> read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            Properties properties = new Properties();
            properties.load(new StringReader(Files.readString(file)));
            String dataset = properties.getProperty(DATASET, "");
            return dataset.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new DemoProgress(
                                    dataset,
                                    Long.parseLong(properties.getProperty(SEED, "")),
                                    Long.parseLong(properties.getProperty(NEXT_EVENT, ""))));
        } catch (CharacterCodingException | IllegalArgumentException e) {
            return Optional.empty(); // written by another program
        }
    }

    void write(Path directory) throws IOException {
        String text =
                "# Settings and progress of this demo. Deleted by --fresh.\n%s=%s\n%s=%d\n%s=%d\n"
                        .formatted(DATASET, dataset, SEED, seed, NEXT_EVENT, nextEvent);
        try (AtomicFile file = AtomicFile.create(directory.resolve(FILE))) {
            file.out().write(text.getBytes(StandardCharsets.UTF_8));
            file.commit();
        }
    }
}
