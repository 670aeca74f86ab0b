package io.counterflow.client;

import io.counterflow.client.rank.Names;
import io.counterflow.core.numeric.Require;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A reward for a decision.
 *
 * @param value the reward, in [0, 1]
 * @param rewardId its id; rewards with the same id count once
 * @param time the time of the reward; empty for the time at which the server receives it
 */
public record Reward(double value, String rewardId, Optional<Instant> time) {

    public Reward {
        Require.share(value, "value");
        Names.require("rewardId", rewardId);
    }

    /** A reward with a new id, at the time at which the server receives it. */
    public static Reward of(double value) {
        return new Reward(value, UUID.randomUUID().toString(), Optional.empty());
    }
}
