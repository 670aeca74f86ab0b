package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a gate, for storage.
 *
 * @param sequence number of changes so far
 * @param judgedSoFar number of candidates so far that used a share of δ
 * @param watchedSoFar number of watched versions so far that used a share of δ
 * @param waiting the newest candidate, if it is waiting for its turn
 * @param judged comparison of the candidate with the active version
 * @param watched comparison of the previous version with the active one
 * @param canary comparison of the active version with the canary
 */
public record GateState(
        Rollout rollout,
        long sequence,
        long judgedSoFar,
        long watchedSoFar,
        OptionalLong waiting,
        Optional<ComparisonState> judged,
        Optional<ComparisonState> watched,
        Optional<ComparisonState> canary) {

    public GateState {
        Require.atLeast(0, sequence, "sequence");
        Require.atLeast(0, judgedSoFar, "judgedSoFar");
        Require.atLeast(0, watchedSoFar, "watchedSoFar");
        if (judged.isPresent() != rollout.candidateVersion().isPresent()) {
            throw new IllegalArgumentException(
                    "judged must be present exactly if there is a candidate");
        }
        if (watched.isPresent() && rollout.previousVersion().isEmpty()) {
            throw new IllegalArgumentException("watched must be absent without a previous version");
        }
        if (canary.isPresent() != (rollout.stage() == Stage.CANARY)) {
            throw new IllegalArgumentException(
                    "canary must be present exactly at the stage canary");
        }
    }

    static GateState start(long version) {
        return new GateState(
                Rollout.start(version),
                0,
                0,
                0,
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
