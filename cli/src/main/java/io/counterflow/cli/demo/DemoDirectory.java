package io.counterflow.cli.demo;

import io.counterflow.cli.BadInputException;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the demo keeps what survives it: the broker's logs, the job's checkpoints, and a note of
 * what is played and how far it is. One demo at a time has it.
 */
public final class DemoDirectory implements AutoCloseable {

    private static final String NOTE = "demo.properties";
    private static final String LOCK = "demo.lock";
    private static final String DATASET = "dataset";
    private static final String SEED = "seed";
    private static final String NEXT_EVENT = "next-event";

    /** Event numbers that are taken at once, so that a crash gives none of them twice. */
    private static final long BLOCK = 100_000;

    private final Path root;
    private final FileChannel lockFile;
    private final Dataset dataset;
    private final long seed;
    private final boolean continued;
    private final AtomicLong nextEvent;
    private long reserved;

    private DemoDirectory(
            Path root, FileChannel lockFile, Dataset dataset, long seed, @Nullable Properties note)
            throws IOException {
        this.root = root;
        this.lockFile = lockFile;
        this.dataset = dataset;
        this.seed = seed;
        this.continued = note != null;
        this.nextEvent =
                new AtomicLong(
                        note == null ? 1 : Long.parseLong(note.getProperty(NEXT_EVENT, "1")));
        reserve();
    }

    /**
     * Opens a directory, new or used.
     *
     * @param fresh whether what an earlier demo left is deleted
     * @throws BadInputException if it is in use, of another demo, or no demo's at all
     */
    public static DemoDirectory open(Path root, Dataset dataset, long seed, boolean fresh)
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
            @Nullable Properties note = read(root.resolve(NOTE));
            if (note != null) {
                requireSame(root, DATASET, note.getProperty(DATASET), dataset.toString());
                requireSame(root, SEED, note.getProperty(SEED), Long.toString(seed));
            }
            return new DemoDirectory(root, lockFile, dataset, seed, note);
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    /** A directory with other things in it is left alone, above all by {@code --fresh}. */
    private static void requireOurs(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> children = Files.list(root)) {
            List<Path> found = children.toList();
            boolean ours =
                    found.stream().allMatch(it -> it.getFileName().toString().equals(LOCK))
                            || Files.exists(root.resolve(NOTE));
            if (!ours) {
                throw new BadInputException(
                        "--directory: %s must be empty, missing or a demo's, but has other files in it"
                                .formatted(root));
            }
        }
    }

    private static void lock(FileChannel lockFile, Path root) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = lockFile.tryLock();
        } catch (OverlappingFileLockException e) { // by this very process
            lock = null;
        }
        if (lock == null) {
            throw new BadInputException(
                    "another demo runs in %s; stop it, or choose another --directory"
                            .formatted(root));
        }
    }

    private static void empty(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!path.equals(root) && !path.equals(root.resolve(LOCK))) {
                    Files.delete(path);
                }
            }
        }
    }

    private static @Nullable Properties read(Path note) throws IOException {
        if (!Files.exists(note)) {
            return null;
        }
        Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(note)));
        return properties;
    }

    private static void requireSame(
            Path root, String what, @Nullable String before, String wanted) {
        if (!wanted.equals(before)) {
            throw new BadInputException(
                    "%s holds a demo with --%s %s, and %s was asked for; take the same, another"
                                    .formatted(root, what, before, wanted)
                            + " --directory, or --fresh to start over");
        }
    }

    /** Whether an earlier demo goes on. */
    boolean continued() {
        return continued;
    }

    Path kafka() {
        return root.resolve("kafka");
    }

    Path flink() {
        return root.resolve("flink");
    }

    Path log() {
        return root.resolve("demo.log");
    }

    Path servingLog() {
        return root.resolve("serving.log");
    }

    Path root() {
        return root;
    }

    /** The number of the next event; no number is given twice, over all starts. */
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

    /** How many events there have been, over all starts. */
    long events() {
        return nextEvent.get() - 1;
    }

    private synchronized void reserve() throws IOException {
        reserved = Math.max(reserved, nextEvent.get() + BLOCK);
        write(reserved);
    }

    private void write(long next) throws IOException {
        String text =
                "# What this demo plays, and how far it is. Deleted with --fresh.\n%s=%s\n%s=%d\n%s=%d\n"
                        .formatted(DATASET, dataset, SEED, seed, NEXT_EVENT, next);
        try (AtomicFile note = AtomicFile.create(root.resolve(NOTE))) {
            note.out().write(text.getBytes(StandardCharsets.UTF_8));
            note.commit();
        }
    }

    /** Notes how far it is, and lets another demo have the directory. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            write(nextEvent.get());
        }
    }
}
