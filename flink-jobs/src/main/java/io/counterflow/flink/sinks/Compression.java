package io.counterflow.flink.sinks;

/** How Kafka packs what is written. */
public enum Compression {
    /** Not at all. */
    NONE,
    /** Quickly. */
    LZ4,
    /** Smaller, for more work. */
    ZSTD
}
