package io.counterflow.cli.parquet;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** An output that knows its position. */
final class CountedOutput extends FilterOutputStream {

    private long position;

    CountedOutput(OutputStream out) {
        super(out);
    }

    long position() {
        return position;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        position += length;
    }
}
