package io.counterflow.flink.event;

/** Why a loop refuses an event. The names are in dead letters and metrics. */
public enum RefusalReason {
    /** The loop has no spec. */
    UNKNOWN_LOOP,
    /** The spec is invalid. */
    SPEC,
    /** The command is invalid. */
    COMMAND,
    /** The loop cannot learn from the features, actions or propensity of the example. */
    EXAMPLE,
    /** The loop has executed this command before. */
    DUPLICATE,
    /** The entry of the event would be too large for the journal. */
    TOO_LARGE,
    /** The loop is quarantined, because it failed on an earlier event or cannot be restored. */
    QUARANTINED,
    /** In a replay: the first entries of the journal of the loop have expired. */
    EXPIRED_JOURNAL
}
