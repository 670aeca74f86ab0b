package io.counterflow.client.policies;

import io.counterflow.schemas.config.StorageDirectory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory with the files of large snapshots. Records say where a file is, so whoever writes
 * to the topic could name any file of this machine. Files in other places are refused. Messages do
 * not quote what a record names.
 */
public final class SnapshotDirectory {

    private final Optional<Path> directory;

    private SnapshotDirectory(Optional<Path> directory) {
        this.directory = directory;
    }

    /** Refuses all files. */
    public static SnapshotDirectory none() {
        return new SnapshotDirectory(Optional.empty());
    }

    /**
     * The storage directory of the job.
     *
     * @param storage the value of {@code storage.directory}; all files are refused if it is not on
     *     a file system of this machine
     */
    public static SnapshotDirectory of(String storage) {
        URI uri = URI.create(StorageDirectory.uri(storage));
        return "file".equals(uri.getScheme()) && uri.getPath() != null
                ? new SnapshotDirectory(Optional.of(Path.of(uri.getPath())))
                : none();
    }

    /** The file of a URI, without symbolic links. */
    Path file(String uri) throws IOException {
        Path named = pathOf(uri);
        if (directory.isEmpty()) {
            throw new IOException(
                    "the weights are in a file, but storage.directory is not a directory of this"
                            + " machine");
        }
        if (!named.normalize().equals(named)) {
            throw outside();
        }
        Path file = named.toRealPath(); // fails if it does not exist
        if (!file.startsWith(directory.get().toRealPath())) {
            throw outside();
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException("the weights must be in a regular file");
        }
        return file;
    }

    private static IOException outside() {
        return new IOException(
                "the weights must be in a file below storage.directory, which job and serving must"
                        + " configure alike; got another place");
    }

    private static Path pathOf(String uri) throws IOException {
        try {
            URI parsed = URI.create(uri);
            if (!"file".equals(parsed.getScheme())
                    || parsed.getPath() == null
                    || parsed.getAuthority() != null) {
                throw new IOException("the weights must be in a file: URI of this machine");
            }
            return Path.of(parsed.getPath());
        } catch (IllegalArgumentException e) {
            throw new IOException("the URI of the weights is malformed", e);
        }
    }
}
