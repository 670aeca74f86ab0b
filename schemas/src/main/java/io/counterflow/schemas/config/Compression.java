package io.counterflow.schemas.config;

/** Compression of the records that the job writes, by the names of Kafka. */
public enum Compression {
    NONE,
    LZ4,
    ZSTD
}
