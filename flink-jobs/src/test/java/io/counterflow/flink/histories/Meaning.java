package io.counterflow.flink.histories;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardMetric;
import java.util.OptionalDouble;

/**
 * What a record says, as its producer meant it. The models read this, and only the job reads the
 * bytes. Times are microseconds after {@link io.counterflow.flink.Feedback#START}.
 */
sealed interface Meaning {

    /** Event time. */
    long at();

    /** The loop that it is about; empty for none. */
    String loop();

    /**
     * One answer to an event.
     *
     * @param guardrail the guardrail reward when none comes; empty without a guardrail
     * @param reward its reward, if it is known already
     * @param fits whether the loop can learn from it
     */
    record Decision(
            String loop,
            String event,
            long at,
            int action,
            long policyVersion,
            long windowMs,
            boolean deferred,
            double defaultReward,
            double zero,
            RewardAggregation aggregation,
            OptionalDouble guardrail,
            OptionalDouble reward,
            boolean fits)
            implements Meaning {

        Decision answeredAt(long micros) {
            return with(action, micros);
        }

        Decision withAction(int other) {
            return with(other, at);
        }

        private Decision with(int otherAction, long micros) {
            return new Decision(
                    loop,
                    event,
                    micros,
                    otherAction,
                    policyVersion,
                    windowMs,
                    deferred,
                    defaultReward,
                    zero,
                    aggregation,
                    guardrail,
                    reward,
                    fits);
        }
    }

    /** The answer of a time did not reach the caller. */
    record Retraction(String loop, String event, long at) implements Meaning {}

    /** What came of a decision. */
    record Reward(String loop, String event, String id, RewardMetric metric, long at, double value)
            implements Meaning {}

    /** A deferred decision was shown. */
    record Activation(String loop, String event, long at) implements Meaning {}

    /**
     * A spec of a loop.
     *
     * @param valid whether it is one
     * @param choice draws its settings
     */
    record Spec(String loop, long version, long at, boolean valid, long choice)
            implements Meaning {}

    /** The loop is deleted. */
    record Deletion(String loop, long at) implements Meaning {}

    /**
     * A command to a loop.
     *
     * @param choice draws what it asks for
     */
    record Command(String loop, String id, long at, long choice) implements Meaning {}

    /** Nothing but the time. */
    record Heartbeat(long at) implements Meaning {
        @Override
        public String loop() {
            return "";
        }
    }

    /** Bytes that are no record. */
    record Garbage(long at) implements Meaning {
        @Override
        public String loop() {
            return "";
        }
    }

    /** The event that it is about; empty for none. */
    default String event() {
        return "";
    }
}
