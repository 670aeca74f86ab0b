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
 * Protects a file against other runs with a lock on {@code NAME.lock}, an empty file in the same
 * directory.
 *
 * <p>On POSIX systems a process loses its locks on a file when it closes any channel to it. A lock
 * also does not move to a file that replaces the locked one. So the lock file is opened only once
 * per process, and it is never moved or deleted.
 */
final class RunLock implements AutoCloseable {

    /** Files that this process has locked. Opening and closing one again would release its lock. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path beside;
    private final FileChannel channel;

    private RunLock(Path beside, FileChannel channel) {
        this.beside = beside;
        this.channel = channel;
    }

    /**
     * Acquires the lock of a file. The file need not exist.
     *
     * @throws BadInputException if another run holds the lock
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
                // another run has created it; the lock decides
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
            return; // already closed; another run may have the lock now
        }
        try {
            channel.close();
        } finally {
            HELD.remove(beside);
        }
    }
}
