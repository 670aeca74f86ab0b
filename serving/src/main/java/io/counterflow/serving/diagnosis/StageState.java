package io.counterflow.serving.diagnosis;

/** The state of a stage. */
public enum StageState {
    /** Works. */
    OK,
    /** Waits for something; nothing is wrong. */
    WAITING,
    /** Works, but an operator should look at it. */
    WARNING,
    /** Does not continue without an operator. */
    STALLED
}
