package io.counterflow.schemas.topics;

import java.util.Locale;

/**
 * Compression of records on topics, by the names of Kafka. Clients in all languages read the first
 * two without further libraries.
 */
public enum Compression {
    NONE,
    GZIP,
    LZ4,
    ZSTD;

    /** The value of Kafka's {@code compression.type}. */
    String type() {
        return name().toLowerCase(Locale.ROOT);
    }
}
