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
 * A file that is written beside its place and moved there when it is whole.
 *
 * <p>{@link #commit} moves it; closing without that removes what was written, so a stopped run
 * leaves no half file and what was there before stays.
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
        // Not Files.createTempFile: that hides the file from everybody but its owner.
        Path temporary = folder.resolve("." + name + "." + ProcessHandle.current().pid() + ".tmp");
        FileChannel channel =
                FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        return new AtomicFile(whole, temporary, channel);
    }

    /** Where to write; not buffered. Closing it leaves the file open for {@link #commit}. */
    public OutputStream out() {
        return out;
    }

    /** Moves the file to its place. Whatever buffers the output must have been flushed. */
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

    /** Removes what was written, unless it was committed. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(temporary);
    }

    /** Whatever compresses or formats closes what it writes to; the file must outlive that. */
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
