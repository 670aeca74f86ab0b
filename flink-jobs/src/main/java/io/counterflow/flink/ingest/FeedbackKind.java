package io.counterflow.flink.ingest;

/** What a piece of feedback says about a decision. */
public enum FeedbackKind {
    /** It was taken. */
    IMPRESSION,
    /** Something came of it. */
    REWARD,
    /** It was really shown. */
    ACTIVATION
}
