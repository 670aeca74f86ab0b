package io.counterflow.flink.sinks;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot files in a directory of any file system that Flink supports, with a directory for each
 * loop.
 *
 * <p>The name of a file contains the checksum of its content, so writing it again after a failure
 * changes nothing. Files are written atomically.
 */
final class SnapshotStore {

    private final Path directory;
    private final FileSystem files;

    SnapshotStore(String directory) throws IOException {
        this.directory = new Path(directory);
        this.files = this.directory.getFileSystem();
    }

    /**
     * The file of a snapshot.
     *
     * @param checksum checksum of the content, in letters and digits
     */
    Path file(String loop, long version, String checksum) {
        return new Path(new Path(directory, loop), version + "-" + checksum + ".snapshot");
    }

    URI uri(Path file) {
        return file.makeQualified(files).toUri();
    }

    /** Writes a file if it does not exist. */
    void write(Path file, byte[] content) throws IOException {
        if (isStored(file, content.length)) {
            return;
        }
        try (RecoverableFsDataOutputStream out = files.createRecoverableWriter().open(file)) {
            out.write(content);
            out.closeForCommit().commit();
        }
    }

    private boolean isStored(Path file, int bytes) throws IOException {
        if (!files.exists(file)) {
            return false;
        }
        FileStatus status = files.getFileStatus(file);
        return status.getLen() == bytes;
    }

    /** Deletes a file, and the directory of its loop if it was the last one. Idempotent. */
    void delete(URI uri) throws IOException {
        Path file = new Path(uri);
        FileSystem system = file.getFileSystem(); // the directory may have been another one before
        if (system.exists(file) && !system.delete(file, false)) {
            throw new IOException("the file was not deleted");
        }
        Path loop = file.getParent();
        if (system.exists(loop) && list(system, loop).isEmpty()) {
            system.delete(loop, false);
        }
    }

    private static List<FileStatus> list(FileSystem system, Path directory) throws IOException {
        FileStatus @Nullable [] found = system.listStatus(directory); // null if it does not exist
        return found == null ? List.of() : List.of(found);
    }
}
