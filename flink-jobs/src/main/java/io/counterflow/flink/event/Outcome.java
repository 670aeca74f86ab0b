package io.counterflow.flink.event;

import io.counterflow.schemas.record.RewardOriginRecord;
import org.jspecify.annotations.Nullable;

/**
 * The reward of an example.
 *
 * @param reward the reward after aggregation, in [0, 1]
 * @param guardrailReward the guardrail reward after aggregation, in [0, 1]; null without a
 *     guardrail
 * @param rewards how many distinct rewards arrived in time
 */
public record Outcome(
        double reward, @Nullable Double guardrailReward, RewardOriginRecord origin, int rewards) {}
