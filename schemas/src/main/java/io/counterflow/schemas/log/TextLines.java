package io.counterflow.schemas.log;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** The lines of a text file, compressed with gzip or not. Reads one line at a time. */
public final class TextLines implements Closeable {

    /** Longer lines are skipped; {@link #isTooLong} reports them. */
    public static final int MAX_LINE_BYTES = 16 << 20;

    private static final int BUFFER = 64 * 1024;
    private static final int[] GZIP_MAGIC = {0x1f, 0x8b};

    private final LogFileInput input;
    private final boolean gzip;
    private @Nullable LineReader lines; // null until the first line
    private long number;
    private boolean ended;

    private TextLines(LogFileInput input, boolean gzip) {
        this.input = input;
        this.gzip = gzip;
    }

    /** Opens a file. Its first bytes tell whether it is compressed. */
    public static TextLines open(Path file, ReadProgress progress) throws IOException {
        return open(file, hasGzipMagic(file), progress);
    }

    static TextLines open(Path file, boolean gzip, ReadProgress progress) throws IOException {
        return new TextLines(LogFileInput.open(file, progress), gzip);
    }

    private static boolean hasGzipMagic(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.read() == GZIP_MAGIC[0] && in.read() == GZIP_MAGIC[1];
        }
    }

    /**
     * Moves to the next line; false at the end.
     *
     * @throws DamagedFileException if the compressed data is damaged or cut off. Nothing after it
     *     can be read: the next call returns false.
     */
    public boolean advance() throws IOException {
        if (ended) {
            return false;
        }
        number++;
        try {
            LineReader reader = lines;
            if (reader == null) {
                reader = new LineReader(decompressed(), MAX_LINE_BYTES);
                lines = reader;
            }
            ended = !reader.advance();
            return !ended;
        } catch (EOFException | ZipException e) {
            ended = true;
            throw new DamagedFileException(
                    "the gzip data is damaged or cut off, nothing after it can be read", e);
        }
    }

    private InputStream decompressed() throws IOException {
        return gzip ? new GZIPInputStream(new BufferedInputStream(input, BUFFER), BUFFER) : input;
    }

    private LineReader current() {
        LineReader reader = lines;
        if (reader == null) {
            throw new IllegalStateException("no line has been read yet");
        }
        return reader;
    }

    /** The number of the line, from 1. */
    public long number() {
        return number;
    }

    /** Whether the line exceeds the limit; if so, {@link #bytes} has only its start. */
    public boolean isTooLong() {
        return current().isTooLong();
    }

    /** Whether the line has only white space. */
    public boolean isBlank() {
        return current().isBlank();
    }

    /** The line from 0 to {@link #length}. Overwritten by the next line. */
    public byte[] bytes() {
        return current().bytes();
    }

    public int length() {
        return current().length();
    }

    /** The line as text, without the carriage return of a Windows file. */
    public String text() {
        int length = length();
        if (length > 0 && bytes()[length - 1] == '\r') {
            length--;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes(), 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the line must be text in UTF-8", e);
        }
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
