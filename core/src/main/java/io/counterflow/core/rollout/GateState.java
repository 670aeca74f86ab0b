package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * All that a gate remembers, for storing it.
 *
 * @param sequence changes so far
 * @param judgedSoFar candidates that a share of δ was spent on
 * @param watchedSoFar versions that a share of δ was spent on to watch them
 * @param waiting the newest candidate, if it waits for its turn
 * @param judged the candidate against the active version
 * @param watched the version before against the active one
 * @param canary the active version against the canary
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
            throw new IllegalArgumentException("a candidate, and nothing else, is judged");
        }
        if (watched.isPresent() && rollout.previousVersion().isEmpty()) {
            throw new IllegalArgumentException("there is no version before to watch against");
        }
        if (canary.isPresent() != (rollout.stage() == Stage.CANARY)) {
            throw new IllegalArgumentException("a canary, and nothing else, logs for itself");
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
