package io.counterflow.cli.experiment;

import io.counterflow.cli.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/**
 * Results on disk, a line of CSV each. A result is on disk before it counts as done, so a run that
 * was stopped, however, goes on after the last of them; a line that was cut off is dropped.
 *
 * <p>While a run goes on, lines come in the order in which they are found. {@link #sort} puts them
 * in the order of their keys, so that what a finished run leaves does not depend on its history.
 */
final class ResultFile implements AutoCloseable {

    private final Path file;
    private final FileChannel channel;
    private final Map<UnitKey, Measured> results = new ConcurrentSkipListMap<>();

    private ResultFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, or makes it.
     *
     * @throws BadInputException if it is no file of results, or another run writes to it
     */
    static ResultFile open(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        try {
            requireAlone(channel, file);
            ResultFile opened = new ResultFile(file, channel);
            opened.load();
            return opened;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void requireAlone(FileChannel channel, Path file) throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            // held within this process
        }
        throw new BadInputException("another run writes to " + file);
    }

    private void load() throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        int whole = text.lastIndexOf('\n') + 1;
        List<String> lines = text.substring(0, whole).lines().toList();
        if (lines.isEmpty()) {
            channel.truncate(0);
            write(CsvRow.HEADER);
            return;
        }
        if (!lines.get(0).equals(CsvRow.HEADER)) {
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

    /** A result that is there already. */
    Optional<Measured> find(UnitKey key) {
        return Optional.ofNullable(results.get(key));
    }

    /** All keys there are, in order. */
    List<UnitKey> keys() {
        return List.copyOf(results.keySet());
    }

    /** Adds the results of one unit, together. */
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
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(false);
    }

    /** Puts the lines in order. To be called when a run has ended; nothing can be added after. */
    synchronized void sort() throws IOException {
        String sorted =
                results.entrySet().stream()
                        .map(it -> new CsvRow(it.getKey(), it.getValue()) + "\n")
                        .collect(Collectors.joining("", CsvRow.HEADER + "\n", ""));
        Path beside = file.resolveSibling(file.getFileName() + ".sorted");
        Files.writeString(beside, sorted, StandardCharsets.UTF_8);
        channel.close();
        Files.move(
                beside, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
