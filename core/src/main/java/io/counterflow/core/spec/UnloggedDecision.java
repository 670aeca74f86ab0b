package io.counterflow.core.spec;

/** What serving does with a decision that cannot be logged. */
public enum UnloggedDecision {
    /** Refuses the request. */
    REFUSE,
    /** Answers, marked as unlogged. */
    ANSWER
}
