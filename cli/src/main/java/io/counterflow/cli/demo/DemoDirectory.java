package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.standalone.DataDirectory;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.utils.Utils;

/** The directory of a demo, with its progress. Only one demo at a time can use it. */
final class DemoDirectory implements AutoCloseable {

    private static final String DEMO = "demo";

    /** Event numbers are reserved in blocks, so that none is used twice after a crash. */
    private static final long BLOCK = 100_000;

    /** The file with the settings of a demo and the number of its next event, at least 1. */
    private record Progress(String dataset, long seed, long nextEvent) {

        static final String FILE = "demo.properties";

        private static final String DATASET = "dataset";
        private static final String SEED = "seed";
        private static final String NEXT_EVENT = "next-event";

        Progress {
            Require.atLeast(1, nextEvent, "nextEvent");
        }

        /** Reads the file; empty if it is missing or not written by a demo. */
        static Optional<Progress> read(Path directory) throws IOException {
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
                                new Progress(
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

    private final DataDirectory data;
    private final Dataset dataset;
    private final long seed;
    private final boolean continued;
    private final AtomicLong nextEvent;
    private long reserved;

    private DemoDirectory(DataDirectory data, Dataset dataset, long seed, Optional<Progress> before)
            throws IOException {
        this.data = data;
        this.dataset = dataset;
        this.seed = seed;
        this.continued = before.isPresent();
        this.nextEvent = new AtomicLong(before.map(Progress::nextEvent).orElse(1L));
        reserve();
    }

    /**
     * Opens a new directory, or that of an earlier demo.
     *
     * @param fresh whether to delete the data of an earlier demo
     * @throws BadInputException if it is in use, has other settings, or has other files
     */
    static DemoDirectory open(Path root, Dataset dataset, long seed, boolean fresh)
            throws IOException {
        requireOurs(root);
        DataDirectory data = DataDirectory.open(root, DEMO);
        try {
            if (fresh) {
                empty(data);
            }
            Optional<Progress> before = Progress.read(root);
            if (before.isPresent()) {
                requireSame(root, "dataset", before.get().dataset(), dataset.toString());
                requireSame(root, "seed", Long.toString(before.get().seed()), Long.toString(seed));
            }
            return new DemoDirectory(data, dataset, seed, before);
        } catch (IOException | RuntimeException e) {
            data.close();
            throw e;
        }
    }

    /** Refuses a directory with files that are not of a demo. */
    private static void requireOurs(Path root) throws IOException {
        if (Files.exists(root) && Progress.read(root).isEmpty()) {
            String lock = DataDirectory.lockFile(DEMO);
            if (DataDirectory.children(root).stream().anyMatch(child -> !child.endsWith(lock))) {
                throw new BadInputException(
                        "--directory: %s must be empty, missing or of an earlier demo, but has other files in it"
                                .formatted(root));
            }
        }
    }

    /** Deletes the files of a demo, and no others. */
    private static void empty(DataDirectory data) throws IOException {
        for (Path child : DataDirectory.children(data.root())) {
            if (data.hasData(child)) {
                Utils.delete(child.toFile()); // does not follow links
            }
        }
        // Last, because it marks the directory of a demo.
        Files.deleteIfExists(data.root().resolve(Progress.FILE));
    }

    private static void requireSame(Path root, String what, String before, String wanted) {
        if (!wanted.equals(before)) {
            throw new BadInputException(
                    "%s has a demo with --%s %s, and %s was requested; use the same, another"
                                    .formatted(root, what, before, wanted)
                            + " --directory, or --fresh to start over");
        }
    }

    boolean continued() {
        return continued;
    }

    DataDirectory data() {
        return data;
    }

    /** The number of the next event. No number is used twice, over all runs. */
    long takeEventNumber() {
        long number = nextEvent.getAndIncrement();
        if (number % (BLOCK / 2) == 0) {
            try {
                reserve();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return number;
    }

    /** The number of events, over all runs. */
    long events() {
        return nextEvent.get() - 1;
    }

    private synchronized void reserve() throws IOException {
        reserved = Math.max(reserved, nextEvent.get() + BLOCK);
        write(reserved);
    }

    private void write(long next) throws IOException {
        new Progress(dataset.toString(), seed, next).write(data.root());
    }

    /** Stores the progress and releases the directory. */
    @Override
    public void close() throws IOException {
        try (data) {
            write(nextEvent.get());
        }
    }
}
