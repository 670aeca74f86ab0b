package io.counterflow.flink.event;

/** What an event must be for its loop to take it. The names are in letters and metrics. */
public enum RefusalReason {
    /** The loop has a spec. */
    UNKNOWN_LOOP,
    /** A spec is valid. */
    SPEC,
    /** A command is valid. */
    COMMAND,
    /** An example's features, actions and propensity are such that the loop can learn from it. */
    EXAMPLE,
    /** The loop has not seen this very event before. */
    DUPLICATE,
    /** The loop has not seen an event that comes after it. */
    LATE
}
