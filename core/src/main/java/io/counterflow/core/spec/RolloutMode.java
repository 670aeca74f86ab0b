package io.counterflow.core.spec;

/** How a new version becomes active. */
public enum RolloutMode {
    /** A person. */
    MANUAL,
    /** Each candidate becomes the logging policy, as in the incremental training of the paper. */
    IMMEDIATE,
    /** A candidate becomes active if it is better than the active policy with confidence. */
    GATED,
    /**
     * The first action of a request is always shown, and each candidate becomes the active version,
     * which decides nothing.
     */
    APPRENTICE
}
