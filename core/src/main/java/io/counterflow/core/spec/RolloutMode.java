package io.counterflow.core.spec;

/** Who decides that a new version goes live. */
public enum RolloutMode {
    /** A person. */
    MANUAL,
    /** Nobody: each candidate becomes the logging policy, the paper's incremental training. */
    IMMEDIATE,
    /** The data: a candidate that is surely better than the active policy. */
    GATED
}
