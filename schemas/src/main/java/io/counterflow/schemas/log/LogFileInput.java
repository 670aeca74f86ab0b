package io.counterflow.schemas.log;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the bytes of a log file and reports progress. */
final class LogFileInput extends FilterInputStream {

    private final long size;
    private final ReadProgress progress;
    private long read;

    private LogFileInput(InputStream in, long size, ReadProgress progress) {
        super(in);
        this.size = size;
        this.progress = progress;
    }

    static LogFileInput open(Path file, ReadProgress progress) throws IOException {
        return new LogFileInput(Files.newInputStream(file), Files.size(file), progress);
    }

    long size() {
        return size;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? -1 : 1);
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int n = super.read(bytes, offset, length);
        count(n);
        return n;
    }

    @Override
    public long skip(long n) throws IOException {
        long skipped = super.skip(n);
        read += skipped;
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void count(int n) {
        if (n > 0) {
            read += n;
            progress.read(read, size);
        }
    }
}
