package io.counterflow.serving.diagnosis;

/** What is counted of a loop. */
public enum Flow {
    /** Impressions that this process wrote. */
    DECISIONS,
    /** Rewards that this process wrote. */
    REWARDS,
    /** Examples that the job joined and learned from, whoever decided. */
    EXAMPLES,
    /** Records that came too late for their loop. */
    LATE,
    /** Records that could not be used. */
    DEAD_LETTERS
}
