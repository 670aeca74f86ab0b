package io.counterflow.client;

import io.counterflow.client.rank.Names;
import io.counterflow.core.numeric.Require;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * What came of a decision.
 *
 * @param value how good it was, in [0, 1]
 * @param rewardId its name; rewards of one name count once, however often they are sent
 * @param time when it happened; empty for when the server gets it
 */
public record Reward(double value, String rewardId, Optional<Instant> time) {

    public Reward {
        Require.share(value, "value");
        Names.require("rewardId", rewardId);
    }

    /** A reward of now, under a name that is made. */
    public static Reward of(double value) {
        return new Reward(value, UUID.randomUUID().toString(), Optional.empty());
    }
}
