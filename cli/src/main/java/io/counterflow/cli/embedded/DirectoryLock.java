package io.counterflow.cli.embedded;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a directory for one process. The lock ends with the process, however it ends; its file
 * stays.
 */
public final class DirectoryLock implements AutoCloseable {

    private final FileChannel file;

    private DirectoryLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Takes a directory, which is created if it is missing.
     *
     * @param name name of the file that is locked
     * @param inUse the message if another process has it
     * @throws BadInputException if another process has it
     */
    public static DirectoryLock take(Path directory, String name, String inUse) throws IOException {
        Files.createDirectories(directory);
        FileChannel file =
                FileChannel.open(
                        directory.resolve(name),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        try {
            if (lock(file) == null) {
                throw new BadInputException(inUse);
            }
            return new DirectoryLock(file);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) { // held by this process
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
