package io.counterflow.schemas.wire;

import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an impression that come before its features. The reward join needs no others, and
 * they are a small part of the bytes.
 *
 * @param timeMicros when the decision was taken, in microseconds since 1970
 * @param guardrailDefaultReward null without a guardrail
 * @param reward null if rewards are to be joined
 * @param guardrailReward null if guardrail rewards are to be joined
 */
public record ImpressionHead(
        String eventId,
        String loop,
        long policyVersion,
        long specVersion,
        long timeMicros,
        long attributionWindowMs,
        double defaultReward,
        RewardAggregationRecord rewardAggregation,
        double rewardZero,
        boolean deferred,
        @Nullable Double guardrailDefaultReward,
        @Nullable Double reward,
        @Nullable Double guardrailReward) {

    /** The head of a decoded impression. */
    public static ImpressionHead of(ImpressionRecord record) {
        return new ImpressionHead(
                record.getEventId(),
                record.getLoop(),
                record.getPolicyVersion(),
                record.getSpecVersion(),
                micros(record.getTime()),
                record.getAttributionWindowMs(),
                record.getDefaultReward(),
                record.getRewardAggregation(),
                record.getRewardZero(),
                record.getDeferred(),
                record.getGuardrailDefaultReward(),
                record.getReward(),
                record.getGuardrailReward());
    }

    /** Unlike {@code ChronoUnit.MICROS.between}, exact for every time that Avro can read. */
    private static long micros(Instant time) {
        return time.getEpochSecond() * 1_000_000L + time.getNano() / 1_000;
    }
}
