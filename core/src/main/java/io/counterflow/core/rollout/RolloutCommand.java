package io.counterflow.core.rollout;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A command of an operator.
 *
 * @param action the action
 * @param version the version; empty for the newest candidate or, in a rollback, the previous
 *     version
 * @param share share of the events in (0, 1], for a canary
 * @param reason why
 */
public record RolloutCommand(
        Action action, OptionalLong version, OptionalDouble share, String reason) {

    /** Actions of commands. */
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
                    "share must be present exactly for a canary, got " + share);
        }
        if (share.isPresent() && !(share.getAsDouble() > 0.0 && share.getAsDouble() <= 1.0)) {
            throw new IllegalArgumentException(
                    "share must be in (0, 1], got " + share.getAsDouble());
        }
    }
}
