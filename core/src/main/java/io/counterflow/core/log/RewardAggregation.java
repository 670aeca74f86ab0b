package io.counterflow.core.log;

/** Which reward counts if an impression has several. */
public enum RewardAggregation {
    /** The earliest. */
    FIRST,
    /** The latest. */
    LAST,
    /** The sum of all, at most the highest and at least the lowest reward. */
    SUM,
    /** The largest. */
    MAX
}
