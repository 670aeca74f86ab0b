package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.OptionalLong;

/**
 * The versions that decide events.
 *
 * @param stage how much traffic the newest version has
 * @param activeVersion the logging policy
 * @param candidateVersion the version that is compared with the active one, or has a share of the
 *     traffic
 * @param previousVersion the previously active version, to which a rollback returns
 * @param share share of the events that the candidate decides; 0 if there is no canary
 * @param paused whether automatic changes are stopped
 */
public record Rollout(
        Stage stage,
        long activeVersion,
        OptionalLong candidateVersion,
        OptionalLong previousVersion,
        double share,
        boolean paused) {

    public Rollout {
        Require.share(share, "share");
        if ((stage == Stage.CANARY) != (share > 0.0)) {
            throw new IllegalArgumentException(
                    "share must be above 0 exactly at the stage canary, got %s at %s"
                            .formatted(share, stage));
        }
        boolean judged = stage == Stage.SHADOW || stage == Stage.CANARY;
        if (judged != candidateVersion.isPresent()) {
            throw new IllegalArgumentException(
                    "candidateVersion must be present exactly at the stages shadow and canary, got %s at %s"
                            .formatted(candidateVersion, stage));
        }
    }

    /** The rollout of a new loop, without a previous version. */
    static Rollout start(long version) {
        return new Rollout(
                Stage.FULL, version, OptionalLong.empty(), OptionalLong.empty(), 0.0, false);
    }

    Rollout shadow(long candidate) {
        return new Rollout(
                Stage.SHADOW,
                activeVersion,
                OptionalLong.of(candidate),
                previousVersion,
                0.0,
                paused);
    }

    Rollout canary(long candidate, double candidateShare) {
        return new Rollout(
                Stage.CANARY,
                activeVersion,
                OptionalLong.of(candidate),
                previousVersion,
                candidateShare,
                paused);
    }

    Rollout promoted(long version) {
        return new Rollout(
                Stage.FULL,
                version,
                OptionalLong.empty(),
                OptionalLong.of(activeVersion),
                0.0,
                paused);
    }

    /** The same rollout without the candidate. */
    Rollout withoutCandidate() {
        return new Rollout(
                Stage.ROLLED_BACK,
                activeVersion,
                OptionalLong.empty(),
                previousVersion,
                0.0,
                paused);
    }

    Rollout rolledBackTo(long version) {
        return new Rollout(
                Stage.ROLLED_BACK,
                version,
                OptionalLong.empty(),
                OptionalLong.empty(),
                0.0,
                paused);
    }

    Rollout paused(boolean now) {
        return new Rollout(stage, activeVersion, candidateVersion, previousVersion, share, now);
    }
}
