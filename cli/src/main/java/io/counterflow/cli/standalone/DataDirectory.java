package io.counterflow.cli.standalone;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.embedded.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of broker, job and serving: the data of the broker, the state of the job, and logs.
 * Only one process at a time can use it.
 */
public final class DataDirectory implements AutoCloseable {

    private static final String KAFKA = "kafka";
    private static final String FLINK = "flink";
    private static final String SERVING_LOG = "serving.log";

    private final Path root;
    private final String command;
    private final DirectoryLock lock;

    private DataDirectory(Path root, String command, DirectoryLock lock) {
        this.root = root;
        this.command = command;
        this.lock = lock;
    }

    /**
     * Opens a directory, which is created if it is missing.
     *
     * @param command the command whose directory it is, as in {@code demo.log}
     * @throws BadInputException if another process uses it
     */
    public static DataDirectory open(Path root, String command) throws IOException {
        DirectoryLock lock =
                DirectoryLock.take(
                        root,
                        lockFile(command),
                        "another %s runs in %s; stop it or choose another --directory"
                                .formatted(command, root));
        return new DataDirectory(root, command, lock);
    }

    /** The file whose lock shows that the directory is in use. */
    public static String lockFile(String command) {
        return command + ".lock";
    }

    /** The files and directories in a directory. */
    public static List<Path> children(Path root) throws IOException {
        try (Stream<Path> children = Files.list(root)) {
            return children.toList();
        }
    }

    /** Whether a file of the directory contains data or logs. */
    public boolean hasData(Path child) {
        String name = child.getFileName().toString();
        return List.of(KAFKA, FLINK, SERVING_LOG).contains(name)
                || name.matches(Pattern.quote(log().getFileName().toString()) + "(\\.\\d+)?");
    }

    public Path root() {
        return root;
    }

    public Path kafka() {
        return root.resolve(KAFKA);
    }

    public Path flink() {
        return root.resolve(FLINK);
    }

    /** The log of Kafka and Flink. */
    public Path log() {
        return root.resolve(command + ".log");
    }

    public Path servingLog() {
        return root.resolve(SERVING_LOG);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
