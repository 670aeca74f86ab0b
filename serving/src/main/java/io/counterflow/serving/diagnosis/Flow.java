package io.counterflow.serving.diagnosis;

/** The records that are counted for a loop. */
public enum Flow {
    /** Impressions that this process wrote. */
    DECISIONS,
    /** Rewards that this process wrote. */
    REWARDS,
    /** Examples that the job has joined, from all processes. */
    EXAMPLES,
    /** Records that were too late. */
    LATE,
    /** Records that could not be used. */
    DEAD_LETTERS
}
