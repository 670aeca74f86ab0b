package io.counterflow.core.rollout;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.JsonName;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A command of an operator.
 *
 * @param action the action
 * @param version the version; empty for the newest candidate or, in a rollback, the previous
 *     version. A registered policy has none: the loop gives it the next one
 * @param share share of the events in (0, 1), for a canary
 * @param policy the policy to register
 * @param reason why
 */
public record RolloutCommand(
        Action action,
        OptionalLong version,
        OptionalDouble share,
        Optional<RegisteredPolicy> policy,
        String reason) {

    /** Actions of commands. */
    public enum Action {
        PROMOTE,
        CANARY,
        ROLLBACK,
        /** Adds a policy as a candidate that the loop has not learned. */
        REGISTER,
        /** Stops comparing a registered candidate. */
        WITHDRAW,
        PAUSE,
        RESUME
    }

    /** A command without a policy. */
    public RolloutCommand(
            Action action, OptionalLong version, OptionalDouble share, String reason) {
        this(action, version, share, Optional.empty(), reason);
    }

    /** The command that registers a policy. */
    public static RolloutCommand register(RegisteredPolicy policy, String reason) {
        return new RolloutCommand(
                Action.REGISTER,
                OptionalLong.empty(),
                OptionalDouble.empty(),
                Optional.of(policy),
                reason);
    }

    /** The command that registers a policy that was learned elsewhere. */
    public static RolloutCommand register(PolicySnapshot snapshot, String reason) {
        return register(new RegisteredPolicy.Snapshot(snapshot), reason);
    }

    public RolloutCommand {
        if ((action == Action.CANARY) != share.isPresent()) {
            throw new IllegalArgumentException(
                    "share must be present exactly for a canary, got " + share);
        }
        if (share.isPresent() && !(share.getAsDouble() > 0.0 && share.getAsDouble() < 1.0)) {
            throw new IllegalArgumentException(
                    "share must be in (0, 1), got " + share.getAsDouble());
        }
        if ((action == Action.REGISTER) != policy.isPresent()) {
            throw new IllegalArgumentException(
                    "snapshot, greedyOf or constantAction must be present exactly for register, got "
                            + (policy.isPresent() ? "one for " + JsonName.of(action) : "none"));
        }
        if (action == Action.REGISTER && version.isPresent()) {
            throw new IllegalArgumentException(
                    "version must be absent for register, got " + version.getAsLong());
        }
    }
}
