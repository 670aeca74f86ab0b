package io.counterflow.flink.sinks;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;

/**
 * Snapshot files in a directory of any file system that Flink supports.
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
}
