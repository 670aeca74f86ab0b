package io.counterflow.flink.ingest;

/** The kinds of feedback. */
public enum FeedbackKind {
    /** A decision. */
    IMPRESSION,
    /** A reward of a decision. */
    REWARD,
    /** The decision was shown to the user. */
    ACTIVATION,
    /** The answer with the decision did not reach the caller. */
    RETRACTION
}
