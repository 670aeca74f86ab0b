package io.counterflow.schemas.file;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes a file under a temporary name and renames it when it is complete.
 *
 * <p>{@link #commit} renames it. Closing without a commit removes the temporary file, so an
 * interrupted run does not leave an incomplete file or replace an existing one.
 */
public final class AtomicFile implements AutoCloseable {

    private final Path target;
    private final Path temporary;
    private final FileChannel channel;
    private final OutputStream out;

    private AtomicFile(Path target, Path temporary, FileChannel channel) {
        this.target = target;
        this.temporary = temporary;
        this.channel = channel;
        this.out = new ChannelOutput(Channels.newOutputStream(channel));
    }

    /** Starts writing. The folder must exist. */
    public static AtomicFile create(Path target) throws IOException {
        Path whole = target.toAbsolutePath();
        Path folder = whole.getParent();
        Path name = whole.getFileName();
        if (folder == null || name == null || Files.isDirectory(whole)) {
            throw new IOException("output must be a file, got the folder " + target);
        }
        // Not Files.createTempFile, which makes the file readable by its owner only.
        Path temporary = folder.resolve("." + name + "." + ProcessHandle.current().pid() + ".tmp");
        FileChannel channel =
                FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        return new AtomicFile(whole, temporary, channel);
    }

    /** The output stream, which is not buffered. Closing it does not commit the file. */
    public OutputStream out() {
        return out;
    }

    /** Renames the file. Buffers in front of the output must be flushed before. */
    public void commit() throws IOException {
        channel.force(true);
        channel.close();
        try {
            Files.move(
                    temporary,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Removes the temporary file, unless it was committed. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(temporary);
    }

    /** Streams that compress or format close their output; the file must stay open. */
    private static final class ChannelOutput extends FilterOutputStream {

        ChannelOutput(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
