package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** A log file with a JSON object on every line, compressed or not. */
final class JsonLines implements ImpressionSource {

    static final int MAX_LINE_BYTES = 16 << 20;
    private static final int BUFFER = 64 * 1024;

    private final Path file;
    private final LogFormat format;
    private final ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
    private final LogFileInput input;
    private Optional<LineReader> lines = Optional.empty(); // empty until the first call
    private long line;
    private boolean ended;

    JsonLines(Path file, LogFormat format, ReadProgress progress) throws IOException {
        this.file = file;
        this.format = format;
        this.input = LogFileInput.open(file, progress);
    }

    @Override
    public Optional<Impression> next() throws IOException {
        while (!ended) {
            line++;
            LineReader reader = advance();
            if (ended) {
                break;
            }
            if (reader.isTooLong()) {
                throw bad("must not be longer than " + MAX_LINE_BYTES + " bytes", null);
            }
            if (!reader.isBlank()) {
                return Optional.of(parse(reader));
            }
        }
        return Optional.empty();
    }

    /** Damage to the compressed stream ends the file. */
    private LineReader advance() throws IOException {
        try {
            if (lines.isEmpty()) {
                lines = Optional.of(new LineReader(decompressed(), MAX_LINE_BYTES));
            }
            ended = !lines.get().advance();
            return lines.get();
        } catch (EOFException | ZipException e) {
            ended = true;
            throw bad("the gzip data is damaged or cut off, nothing after it can be read", e);
        }
    }

    private InputStream decompressed() throws IOException {
        return format == LogFormat.JSONL_GZ
                ? new GZIPInputStream(new BufferedInputStream(input, BUFFER), BUFFER)
                : input;
    }

    private Impression parse(LineReader reader) {
        try {
            return json.read(reader.bytes(), 0, reader.length(), "line-" + line);
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public BadLineException bad(String reason, @Nullable Throwable cause) {
        return new BadLineException(file, format, line, reason, cause);
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
