package io.counterflow.experiments.run;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps other runs away from a file, by a lock on an empty file beside it, {@code NAME.lock}.
 *
 * <p>On POSIX systems a process loses its locks on a file as soon as it closes any channel to it,
 * and a lock stays with what was locked when the file is replaced. So the file beside is opened for
 * the lock alone, once in a process, and neither moved nor deleted.
 */
final class RunLock implements AutoCloseable {

    /** What this process has locked: opening it a second time would give the lock away. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path beside;
    private final FileChannel channel;

    private RunLock(Path beside, FileChannel channel) {
        this.beside = beside;
        this.channel = channel;
    }

    /**
     * Takes the lock of a file, which need not be there yet.
     *
     * @throws BadInputException if another run has it
     */
    static RunLock take(Path file) throws IOException {
        Path beside = made(file.resolveSibling(file.getFileName() + ".lock"));
        if (!HELD.add(beside)) {
            throw taken(file);
        }
        try {
            return lock(file, beside);
        } catch (IOException | RuntimeException e) {
            HELD.remove(beside);
            throw e;
        }
    }

    private static Path made(Path beside) throws IOException {
        if (Files.notExists(beside)) {
            try {
                Files.createFile(beside);
            } catch (FileAlreadyExistsException e) {
                // another run was faster; the lock decides
            }
        }
        return beside.toRealPath();
    }

    private static RunLock lock(Path file, Path beside) throws IOException {
        FileChannel channel = FileChannel.open(beside, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw taken(file);
            }
            return new RunLock(beside, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static BadInputException taken(Path file) {
        return new BadInputException("another run writes to " + file);
    }

    @Override
    public void close() throws IOException {
        if (!channel.isOpen()) {
            return; // closed before, and perhaps another's by now
        }
        try {
            channel.close();
        } finally {
            HELD.remove(beside);
        }
    }
}
