package io.counterflow.schemas.log;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An invalid line or record of a log file. The message names file, line and reason. */
public final class BadLineException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final long line;
    private final String reason;

    BadLineException(
            Path file, LogFormat format, long line, String reason, @Nullable Throwable cause) {
        super(
                "%s, %s %d: %s"
                        .formatted(
                                file, format == LogFormat.AVRO ? "record" : "line", line, reason),
                cause);
        this.file = file.toString();
        this.line = line;
        this.reason = reason;
    }

    public String file() {
        return file;
    }

    /** The number of the line or, in an Avro file, of the record. The first is 1. */
    public long line() {
        return line;
    }

    public String reason() {
        return reason;
    }
}
