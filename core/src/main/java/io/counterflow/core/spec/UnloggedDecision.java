package io.counterflow.core.spec;

/** How serving handles a decision that cannot be logged. */
public enum UnloggedDecision {
    /** Refuses the request. */
    REFUSE,
    /** Answers, marked as unlogged. */
    ANSWER
}
