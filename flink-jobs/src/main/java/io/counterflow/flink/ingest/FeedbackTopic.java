package io.counterflow.flink.ingest;

/**
 * The two topics of feedback, and what belongs on each. Heartbeats belong on both. What belongs on
 * the other is refused: whoever may only send rewards can't make up decisions.
 */
public enum FeedbackTopic {
    /** Impressions. */
    IMPRESSIONS,
    /** Rewards and activations. */
    REWARDS
}
