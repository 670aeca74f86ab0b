package io.counterflow.serving.diagnosis;

import io.counterflow.core.numeric.Require;

/**
 * How many recent records were not used for one reason.
 *
 * @param rule the rule that they broke, as the job names it
 * @param newest what was wrong with the newest of them, without user data
 */
public record ReasonCount(String rule, long count, String newest) {

    public ReasonCount {
        Require.atLeast(0, count, "count");
    }
}
