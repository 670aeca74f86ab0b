package io.counterflow.core.log;

/** What a reported reward measures. Both are in [0, 1], and higher is better. */
public enum RewardMetric {
    /** The reward that the loop learns from. */
    REWARD,
    /**
     * The second reward, on which a candidate must not be worse. The loop does not learn from it.
     */
    GUARDRAIL
}
