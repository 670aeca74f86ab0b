package io.counterflow.flink.event;

/** The kinds of events of a loop. Entries of the journal have the same names. */
public enum LoopEventKind {
    /** An impression with its reward. */
    EXAMPLE,
    /** A new spec. */
    SPEC,
    /** A rollout command. */
    COMMAND,
    /** Time has passed without another event. */
    TIME,
    /** The loop is deleted. */
    DELETION
}
