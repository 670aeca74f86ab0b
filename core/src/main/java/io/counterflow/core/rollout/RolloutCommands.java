package io.counterflow.core.rollout;

import java.util.Optional;
import java.util.OptionalLong;

/** Executes the commands of people, even if paused, or reports why one is not possible. */
final class RolloutCommands {

    private final RolloutTransitions transitions;
    private final Comparisons comparisons;

    RolloutCommands(RolloutTransitions transitions, Comparisons comparisons) {
        this.transitions = transitions;
        this.comparisons = comparisons;
    }

    /**
     * @param timeMs when the command was given. A version that it names may have been learned from
     *     earlier decisions, so only later ones are used to compare it
     */
    RolloutChange execute(RolloutCommand command, long timeMs) {
        return switch (command.action()) {
            case PROMOTE -> promote(command);
            case CANARY -> startCanary(command, timeMs);
            case ROLLBACK -> rollBack(command);
            case REGISTER ->
                    throw new IllegalArgumentException("a registered policy needs a version");
            case WITHDRAW -> withdraw(command);
            case PAUSE ->
                    rollout().paused()
                            ? transitions.refuse("automatic changes are paused already")
                            : transitions.pause(command.reason());
            case RESUME ->
                    rollout().paused()
                            ? transitions.resume(command.reason())
                            : transitions.refuse("automatic changes are not paused");
        };
    }

    private RolloutChange promote(RolloutCommand command) {
        OptionalLong version = version(command);
        if (version.isEmpty()) {
            return transitions.refuse("there is no candidate to promote");
        }
        if (version.getAsLong() == active()) {
            return refuseActive();
        }
        return transitions.promote(
                version.getAsLong(),
                command.reason(),
                comparison(version.getAsLong()).flatMap(transitions::bounds));
    }

    private RolloutChange startCanary(RolloutCommand command, long timeMs) {
        if (transitions.isApprentice()) {
            return transitions.refuse("no version decides events in apprentice mode");
        }
        OptionalLong version = version(command);
        if (version.isEmpty()) {
            return transitions.refuse("there is no candidate for a canary");
        }
        if (version.getAsLong() == active()) {
            return refuseActive();
        }
        return transitions.startCanary(
                version.getAsLong(), command.share().orElseThrow(), timeMs, command.reason());
    }

    private RolloutChange rollBack(RolloutCommand command) {
        OptionalLong version = command.version();
        // Without a version, a share that the gate has chosen is not what the person means.
        boolean meansCanary =
                version.isEmpty()
                        ? transitions.shareIsFixed() || rollout().previousVersion().isEmpty()
                        : version.getAsLong() == active();
        boolean dropsCanary = rollout().stage() == Stage.CANARY && meansCanary;
        if (dropsCanary) {
            return transitions.endCanary(command.reason());
        }
        OptionalLong target = version.isPresent() ? version : rollout().previousVersion();
        if (target.isEmpty()) {
            return transitions.refuse("there is no previous version to return to");
        }
        if (target.getAsLong() == active()) {
            return refuseActive();
        }
        return transitions.rollBack(target.getAsLong(), command.reason());
    }

    private RolloutChange withdraw(RolloutCommand command) {
        OptionalLong version = command.version();
        if (version.isEmpty() || !comparisons.registered().containsKey(version.getAsLong())) {
            return transitions.refuse("there is no such registered candidate");
        }
        return transitions.withdraw(version.getAsLong(), command.reason());
    }

    private RolloutChange refuseActive() {
        return transitions.refuse("version %d is active already".formatted(active()));
    }

    /** The comparison of a candidate, registered or not. */
    private Optional<PolicyComparison> comparison(long version) {
        return rollout().isCandidate(version)
                ? comparisons.candidate()
                : Optional.ofNullable(comparisons.registered().get(version));
    }

    /** The version of a command: the given one or, by default, the newest candidate. */
    private OptionalLong version(RolloutCommand command) {
        if (command.version().isPresent()) {
            return command.version();
        }
        OptionalLong waiting = transitions.waiting();
        return waiting.isPresent() ? waiting : rollout().candidateVersion();
    }

    private Rollout rollout() {
        return transitions.rollout();
    }

    private long active() {
        return rollout().activeVersion();
    }
}
