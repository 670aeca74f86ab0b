package io.counterflow.core.log;

/** Which of several rewards of one impression counts. */
public enum RewardAggregation {
    /** The earliest. */
    FIRST,
    /** The latest. */
    LAST,
    /** All of them added up, at most 1. */
    SUM,
    /** The largest. */
    MAX
}
