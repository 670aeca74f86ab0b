package io.counterflow.core.rollout;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a person asks.
 *
 * @param action what is asked
 * @param version the version that is meant; empty for the newest candidate, or for the version
 *     before in a rollback
 * @param share share of the events in (0, 1], for a canary
 * @param reason why
 */
public record RolloutCommand(
        Action action, OptionalLong version, OptionalDouble share, String reason) {

    /** What can be asked. */
    public enum Action {
        PROMOTE,
        CANARY,
        ROLLBACK,
        PAUSE,
        RESUME
    }

    public RolloutCommand {
        if ((action == Action.CANARY) != share.isPresent()) {
            throw new IllegalArgumentException(
                    "a canary, and nothing else, needs a share, got " + share);
        }
        if (share.isPresent() && !(share.getAsDouble() > 0.0 && share.getAsDouble() <= 1.0)) {
            throw new IllegalArgumentException(
                    "share must be in (0, 1], got " + share.getAsDouble());
        }
    }
}
