package io.counterflow.schemas.log;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A line or record of a log file that cannot be used. The message names file, line and reason. */
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

    /** The file. */
    public String file() {
        return file;
    }

    /** The line, from 1; in an Avro file the record, from 1. */
    public long line() {
        return line;
    }

    /** What is wrong with it. */
    public String reason() {
        return reason;
    }
}
