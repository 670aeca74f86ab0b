package io.counterflow.flink.config;

/** Where state lives between records. */
public enum StateBackendKind {
    /** On disk, larger than memory. */
    ROCKSDB,
    /** On the heap: for tests and small deployments. */
    HASHMAP
}
