package io.counterflow.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps the first write error.
 *
 * <p>A PrintWriter hides the exception, so a full disk would look like success.
 */
public final class ResultStream extends OutputStream {

    private final OutputStream target;
    private @Nullable IOException failure;

    public ResultStream(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(int oneByte) throws IOException {
        write(new byte[] {(byte) oneByte}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            target.write(bytes, offset, length);
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            target.flush();
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    public @Nullable IOException failure() {
        return failure;
    }

    /** Whether writing failed because the reader of the pipe has closed it. */
    public boolean readerHasGone() {
        String message = failure == null ? null : failure.getMessage();
        return message != null && message.contains("Broken pipe");
    }

    private IOException remembered(IOException e) {
        if (failure == null) {
            failure = e;
        }
        return e;
    }
}
