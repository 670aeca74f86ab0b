package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a demo: the broker's logs, the job's checkpoints, and the progress. Only one
 * demo at a time can use it.
 */
final class DemoDirectory implements AutoCloseable {

    private static final String LOCK = "demo.lock";
    private static final String KAFKA = "kafka";
    private static final String FLINK = "flink";
    private static final String LOG = "demo.log";
    private static final String SERVING_LOG = "serving.log";

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

    private final Path root;
    private final FileChannel lockFile;
    private final Dataset dataset;
    private final long seed;
    private final boolean continued;
    private final AtomicLong nextEvent;
    private long reserved;

    private DemoDirectory(
            Path root, FileChannel lockFile, Dataset dataset, long seed, Optional<Progress> before)
            throws IOException {
        this.root = root;
        this.lockFile = lockFile;
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
        Files.createDirectories(root);
        FileChannel lockFile =
                FileChannel.open(
                        root.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            lock(lockFile, root);
            if (fresh) {
                empty(root);
            }
            Optional<Progress> before = Progress.read(root);
            if (before.isPresent()) {
                requireSame(root, "dataset", before.get().dataset(), dataset.toString());
                requireSame(root, "seed", Long.toString(before.get().seed()), Long.toString(seed));
            }
            return new DemoDirectory(root, lockFile, dataset, seed, before);
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    /** Refuses a directory with files that are not of a demo. */
    private static void requireOurs(Path root) throws IOException {
        if (Files.exists(root) && Progress.read(root).isEmpty()) {
            if (children(root).stream().anyMatch(child -> !child.endsWith(LOCK))) {
                throw new BadInputException(
                        "--directory: %s must be empty, missing or of an earlier demo, but has other files in it"
                                .formatted(root));
            }
        }
    }

    private static List<Path> children(Path root) throws IOException {
        try (Stream<Path> children = Files.list(root)) {
            return children.toList();
        }
    }

    private static void lock(FileChannel lockFile, Path root) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = lockFile.tryLock();
        } catch (OverlappingFileLockException e) { // held by this process
            lock = null;
        }
        if (lock == null) {
            throw new BadInputException(
                    "another demo runs in %s; stop it or choose another --directory"
                            .formatted(root));
        }
    }

    /** Deletes the files of a demo, and no others. */
    private static void empty(Path root) throws IOException {
        for (Path child : children(root)) {
            String name = child.getFileName().toString();
            if (List.of(KAFKA, FLINK, SERVING_LOG).contains(name)
                    || name.matches(Pattern.quote(LOG) + "(\\.\\d+)?")) {
                Utils.delete(child.toFile()); // does not follow links
            }
        }
        // Last, because it marks the directory of a demo.
        Files.deleteIfExists(root.resolve(Progress.FILE));
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

    Path kafka() {
        return root.resolve(KAFKA);
    }

    Path flink() {
        return root.resolve(FLINK);
    }

    Path log() {
        return root.resolve(LOG);
    }

    Path servingLog() {
        return root.resolve(SERVING_LOG);
    }

    Path root() {
        return root;
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
        new Progress(dataset.toString(), seed, next).write(root);
    }

    /** Stores the progress and releases the directory. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            write(nextEvent.get());
        }
    }
}
