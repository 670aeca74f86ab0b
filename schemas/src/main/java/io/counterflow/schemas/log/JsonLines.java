package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A log file with a JSON object on every line, compressed or not. */
final class JsonLines implements ImpressionSource {

    private final Path file;
    private final LogFormat format;
    private final ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
    private final TextLines lines;

    JsonLines(Path file, LogFormat format, ReadProgress progress) throws IOException {
        this.file = file;
        this.format = format;
        this.lines = TextLines.open(file, format == LogFormat.JSONL_GZ, progress);
    }

    @Override
    public Optional<Impression> next() throws IOException {
        while (advance()) {
            if (lines.isTooLong()) {
                throw bad("must not be longer than " + TextLines.MAX_LINE_BYTES + " bytes", null);
            }
            if (!lines.isBlank()) {
                return Optional.of(parse());
            }
        }
        return Optional.empty();
    }

    private boolean advance() throws IOException {
        try {
            return lines.advance();
        } catch (DamagedFileException e) {
            throw bad(String.valueOf(e.getMessage()), e);
        }
    }

    private Impression parse() {
        try {
            return json.read(lines.bytes(), 0, lines.length(), "line-" + lines.number());
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public BadLineException bad(String reason, @Nullable Throwable cause) {
        return new BadLineException(file, format, lines.number(), reason, cause);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
