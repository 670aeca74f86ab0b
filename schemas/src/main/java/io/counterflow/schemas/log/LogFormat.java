package io.counterflow.schemas.log;

import java.nio.file.Path;

/** The format of a log file, which is determined by the suffix of its name. */
public enum LogFormat {
    /** A JSON object on every line. */
    JSONL(".jsonl"),
    /** The same, compressed with gzip. */
    JSONL_GZ(".jsonl.gz"),
    /** An Avro container file of impressions, or of logged examples. */
    AVRO(".avro");

    private final String suffix;

    LogFormat(String suffix) {
        this.suffix = suffix;
    }

    public static LogFormat of(Path file) {
        String name = String.valueOf(file.getFileName());
        for (LogFormat format : values()) {
            if (name.endsWith(format.suffix)) {
                return format;
            }
        }
        throw new IllegalArgumentException(
                "a log file's name must end in .jsonl, .jsonl.gz or .avro, got " + name);
    }
}
