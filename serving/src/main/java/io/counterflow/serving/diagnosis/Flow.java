package io.counterflow.serving.diagnosis;

/** The records that are counted for a loop. */
public enum Flow {
    /** Impressions that this process wrote. */
    DECISIONS,
    /** Decisions of this process that Kafka did not acknowledge in time. */
    UNLOGGED,
    /** Rewards that this process wrote. */
    REWARDS,
    /** Impressions of all producers that have reached the job. */
    ARRIVED_DECISIONS,
    /** Rewards of all producers that have reached the job, in time or not. */
    ARRIVED_REWARDS,
    /** Examples that the loop has taken, from all processes. */
    EXAMPLES,
    /** Decisions that do not count, because their answers did not reach the callers. */
    RETRACTED
}
