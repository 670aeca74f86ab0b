package io.counterflow.schemas.config;

/** Where Flink keeps state between records. */
public enum StateBackendKind {
    /** On disk. State can be larger than memory. */
    ROCKSDB,
    /** On the heap, for tests and small deployments. */
    HASHMAP
}
