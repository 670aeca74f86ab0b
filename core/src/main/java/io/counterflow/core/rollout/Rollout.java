package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.OptionalLong;

/**
 * Which versions decide.
 *
 * @param stage how much traffic the newest version has
 * @param activeVersion the logging policy
 * @param candidateVersion the version that is judged or shares the traffic
 * @param previousVersion what was active before, to which a rollback returns
 * @param share share of the events that the candidate decides; 0 but for a canary
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
                    "a canary, and nothing else, has a share above 0, got %s at %s"
                            .formatted(share, stage));
        }
        boolean judged = stage == Stage.SHADOW || stage == Stage.CANARY;
        if (judged != candidateVersion.isPresent()) {
            throw new IllegalArgumentException(
                    "shadow and canary, and nothing else, have a candidate, got %s at %s"
                            .formatted(candidateVersion, stage));
        }
    }

    /** A loop that starts: one version decides, and none was before it. */
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

    /** The candidate is gone; the active version, and what was before it, stay. */
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
