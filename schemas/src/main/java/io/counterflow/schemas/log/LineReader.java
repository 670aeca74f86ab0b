package io.counterflow.schemas.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Splits bytes at line feeds. The buffer of the line is reused. */
final class LineReader implements Closeable {

    private static final int CHUNK = 64 * 1024;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] chunk = new byte[CHUNK];
    private int position;
    private int limit;
    private byte[] line = new byte[4096];
    private int length;
    private boolean tooLong;

    LineReader(InputStream in, int maxLineBytes) {
        this.in = in;
        this.maxLineBytes = maxLineBytes;
    }

    /** Moves to the next line; false at the end. */
    boolean advance() throws IOException {
        length = 0;
        tooLong = false;
        boolean any = false;
        while (true) {
            if (position == limit) {
                position = 0;
                limit = Math.max(0, in.read(chunk, 0, CHUNK));
                if (limit == 0) {
                    return any;
                }
            }
            any = true;
            int end = position;
            while (end < limit && chunk[end] != '\n') {
                end++;
            }
            append(position, end);
            if (end < limit) {
                position = end + 1;
                return true;
            }
            position = end;
        }
    }

    private void append(int from, int to) {
        int more = to - from;
        if (tooLong || more > maxLineBytes - length) {
            tooLong = true; // the rest of the line is skipped
            return;
        }
        if (more > line.length - length) {
            line = Arrays.copyOf(line, Math.max(length + more, line.length * 2));
        }
        System.arraycopy(chunk, from, line, length, more);
        length += more;
    }

    /** Whether the line exceeds the limit; if so, {@link #bytes} has only its start. */
    boolean isTooLong() {
        return tooLong;
    }

    /** Whether the line has only white space. */
    boolean isBlank() {
        for (int i = 0; i < length; i++) {
            if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
                return false;
            }
        }
        return !tooLong;
    }

    /** The line from 0 to {@link #length}. Overwritten by the next line. */
    byte[] bytes() {
        return line;
    }

    int length() {
        return length;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
