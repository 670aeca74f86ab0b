package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.Split;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The versions that decide events, and those that are compared with the active one.
 *
 * @param stage how much traffic the newest version has
 * @param activeVersion the logging policy
 * @param candidateVersion the loop's own candidate that is compared with the active version, or the
 *     version that has a share of the traffic
 * @param registeredVersions candidates that people registered, oldest first. Copied.
 * @param previousVersion the previously active version, to which a rollback returns
 * @param share share of the events that the candidate decides, below 1; 0 if there is no canary
 * @param paused whether automatic changes are stopped
 * @param closedReason why the gate does not use the log for decisions; empty if it does
 */
public record Rollout(
        Stage stage,
        long activeVersion,
        OptionalLong candidateVersion,
        List<Long> registeredVersions,
        OptionalLong previousVersion,
        double share,
        boolean paused,
        Optional<String> closedReason) {

    public Rollout {
        registeredVersions = List.copyOf(registeredVersions);
        Require.share(share, "share");
        Require.that(share < 1.0, "share must be below 1, got %s", share);
        if ((stage == Stage.CANARY) != (share > 0.0)) {
            throw new IllegalArgumentException(
                    "share must be above 0 exactly at the stage canary, got %s at %s"
                            .formatted(share, stage));
        }
        boolean compared = stage == Stage.SHADOW || stage == Stage.CANARY;
        if (compared != candidateVersion.isPresent()) {
            throw new IllegalArgumentException(
                    "candidateVersion must be present exactly at the stages shadow and canary, got %s at %s"
                            .formatted(candidateVersion, stage));
        }
    }

    /** The versions that share the events; empty if the active one decides all of them. */
    public Optional<Split> split() {
        return share > 0.0
                ? Optional.of(new Split(activeVersion, candidateVersion.orElseThrow(), share))
                : Optional.empty();
    }

    /** The rollout of a new loop, without a previous version. */
    static Rollout start(long version) {
        return new Rollout(
                Stage.FULL,
                version,
                OptionalLong.empty(),
                List.of(),
                OptionalLong.empty(),
                0.0,
                false,
                Optional.empty());
    }

    /** The same rollout with a candidate that decides no events. */
    Rollout shadow(long candidate) {
        return with(Stage.SHADOW, activeVersion, OptionalLong.of(candidate), previousVersion, 0.0);
    }

    Rollout canary(long candidate, double candidateShare) {
        return with(
                Stage.CANARY,
                activeVersion,
                OptionalLong.of(candidate),
                previousVersion,
                candidateShare);
    }

    Rollout promoted(long version) {
        return with(Stage.FULL, version, OptionalLong.empty(), OptionalLong.of(activeVersion), 0.0);
    }

    /** The same rollout without the candidate. */
    Rollout withoutCandidate() {
        return with(Stage.ROLLED_BACK, activeVersion, OptionalLong.empty(), previousVersion, 0.0);
    }

    Rollout rolledBackTo(long version) {
        return with(Stage.ROLLED_BACK, version, OptionalLong.empty(), OptionalLong.empty(), 0.0);
    }

    boolean isCandidate(long version) {
        return candidateVersion.isPresent() && candidateVersion.getAsLong() == version;
    }

    private Rollout with(
            Stage next, long active, OptionalLong candidate, OptionalLong previous, double given) {
        return new Rollout(
                next, active, candidate, registeredVersions, previous, given, paused, closedReason);
    }

    Rollout registered(List<Long> versions) {
        return new Rollout(
                stage,
                activeVersion,
                candidateVersion,
                versions,
                previousVersion,
                share,
                paused,
                closedReason);
    }

    Rollout paused(boolean now) {
        return new Rollout(
                stage,
                activeVersion,
                candidateVersion,
                registeredVersions,
                previousVersion,
                share,
                now,
                closedReason);
    }

    Rollout closed(Optional<String> reason) {
        return new Rollout(
                stage,
                activeVersion,
                candidateVersion,
                registeredVersions,
                previousVersion,
                share,
                paused,
                reason);
    }
}
