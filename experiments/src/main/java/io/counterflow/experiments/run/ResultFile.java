package io.counterflow.experiments.run;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/**
 * A CSV file of results, one per line. A result counts as done when it is on disk. So a run that
 * was stopped or killed continues after its last result. An incomplete last line is dropped.
 *
 * <p>During a run, lines are appended as results are computed. {@link #sort} orders them by key, so
 * that the file of a finished run does not depend on the order of computation.
 */
public final class ResultFile implements AutoCloseable {

    private final Path file;
    private final FileChannel channel;
    private final RunLock lock;
    private final Map<UnitKey, Measured> results = new ConcurrentSkipListMap<>();

    private ResultFile(Path file, FileChannel channel, RunLock lock) {
        this.file = file;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Opens a file, or creates it.
     *
     * @throws BadInputException if it is not a result file, or if another run has it open
     */
    public static ResultFile open(Path file) throws IOException {
        RunLock lock = RunLock.take(file);
        ResultFile opened;
        try {
            opened = new ResultFile(file, FileChannel.open(file, CREATE, WRITE), lock);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
        try {
            opened.load();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void load() throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        int whole = text.lastIndexOf('\n') + 1;
        List<String> lines = text.substring(0, whole).lines().toList();
        if (CsvRow.HEADER.startsWith(text)) { // empty, or with an incomplete header
            channel.truncate(0);
            write(CsvRow.HEADER);
            return;
        }
        if (lines.isEmpty() || !lines.get(0).equals(CsvRow.HEADER)) {
            throw new BadInputException(
                    "%s must begin with the line %s".formatted(file, CsvRow.HEADER));
        }
        for (int line = 1; line < lines.size(); line++) {
            String row = lines.get(line);
            CsvRow read =
                    BadInputException.ifRefused(
                            "%s, line %d".formatted(file, line + 1), () -> CsvRow.parse(row));
            results.put(read.key(), read.measured());
        }
        channel.truncate(text.substring(0, whole).getBytes(StandardCharsets.UTF_8).length);
        channel.position(channel.size());
    }

    /** Whether the file has all results of a unit. */
    public boolean has(WorkUnit unit) {
        return unit.keys().stream().allMatch(key -> find(key).isPresent());
    }

    /** Number of examples that units without results will process. */
    public long examplesLeft(List<WorkUnit> units) {
        return units.stream().filter(unit -> !has(unit)).mapToLong(WorkUnit::examples).sum();
    }

    /** Returns a result; empty if the file does not have it. */
    Optional<Measured> find(UnitKey key) {
        return Optional.ofNullable(results.get(key));
    }

    /** Returns a result that the file must have. */
    public Measured require(UnitKey key) {
        return find(key).orElseThrow(() -> new IllegalStateException("no result of " + key));
    }

    /**
     * Returns the holdout value of a result that the file must have.
     *
     * @throws BadInputException if the value is not finite, for example because training diverged
     */
    public double requireHoldout(UnitKey key) {
        double holdout = require(key).holdout();
        if (!Double.isFinite(holdout)) {
            throw new BadInputException(
                    "%s: holdout must be finite, got %s for %s".formatted(file, holdout, key));
        }
        return holdout;
    }

    /** Appends the results of one unit, all or none of them. */
    synchronized void append(List<UnitKey> keys, List<Measured> measured) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < keys.size(); i++) {
            lines.append(i == 0 ? "" : "\n").append(new CsvRow(keys.get(i), measured.get(i)));
        }
        write(lines.toString());
        for (int i = 0; i < keys.size(); i++) {
            results.put(keys.get(i), measured.get(i));
        }
    }

    private void write(String lines) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines + "\n");
        long before = channel.position();
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(false);
        } catch (IOException e) {
            takeBack(before, e);
            throw e;
        }
    }

    /** Removes incomplete lines after a failed write, for example on a full disk. */
    private void takeBack(long before, IOException failure) {
        try {
            channel.truncate(before);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Sorts the lines. Called at the end of a run; nothing can be appended afterwards. */
    public synchronized void sort() throws IOException {
        String sorted =
                results.entrySet().stream()
                        .map(it -> new CsvRow(it.getKey(), it.getValue()) + "\n")
                        .collect(Collectors.joining("", CsvRow.HEADER + "\n", ""));
        channel.close();
        try (AtomicFile copy = AtomicFile.create(file)) {
            copy.out().write(sorted.getBytes(StandardCharsets.UTF_8));
            copy.commit();
        }
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            channel.close();
        }
    }
}
