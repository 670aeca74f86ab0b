package io.counterflow.client;

import io.counterflow.client.rank.Names;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.core.numeric.Require;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A reward for a decision.
 *
 * @param value the reward, in the {@code rewardRange} of the loop, which is [0, 1] unless its spec
 *     has another; a guardrail reward is in [0, 1]
 * @param rewardId its id; rewards with the same id count once
 * @param time the time of the reward; empty for the time at which the server receives it
 * @param metric what it measures
 */
public record Reward(double value, String rewardId, Optional<Instant> time, RewardMetric metric) {

    public Reward {
        Require.finite(value, "value");
        Names.require("rewardId", rewardId);
    }

    /** A reward that the loop learns from. */
    public Reward(double value, String rewardId, Optional<Instant> time) {
        this(value, rewardId, time, RewardMetric.REWARD);
    }

    /** A reward with a new id, at the time at which the server receives it. */
    public static Reward of(double value) {
        return new Reward(value, UUID.randomUUID().toString(), Optional.empty());
    }

    /** A guardrail reward with a new id, at the time at which the server receives it. */
    public static Reward ofGuardrail(double value) {
        return new Reward(
                value, UUID.randomUUID().toString(), Optional.empty(), RewardMetric.GUARDRAIL);
    }
}
