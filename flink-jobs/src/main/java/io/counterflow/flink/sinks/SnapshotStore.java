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
     * Stores a snapshot if it does not exist.
     *
     * @param checksum checksum of the content, in letters and digits
     * @return the path of the file
     */
    URI store(String loop, long version, String checksum, byte[] content) throws IOException {
        Path file = new Path(new Path(directory, loop), version + "-" + checksum + ".snapshot");
        if (!isStored(file, content.length)) {
            write(file, content);
        }
        return file.makeQualified(files).toUri();
    }

    private boolean isStored(Path file, int bytes) throws IOException {
        if (!files.exists(file)) {
            return false;
        }
        FileStatus status = files.getFileStatus(file);
        return status.getLen() == bytes;
    }

    private void write(Path file, byte[] content) throws IOException {
        try (RecoverableFsDataOutputStream out = files.createRecoverableWriter().open(file)) {
            out.write(content);
            out.closeForCommit().commit();
        }
    }
}
