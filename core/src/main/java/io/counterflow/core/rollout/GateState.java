package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a gate, for storage.
 *
 * @param sequence number of changes so far
 * @param comparedSoFar number of comparisons of candidates so far that used a share of δ
 * @param watchedSoFar number of comparisons so far that watched a version and used a share of δ
 * @param turnsWithoutPromotion number of turns of this generation without a promotion
 * @param turnExamples number of examples of the current turn
 * @param shareIsFixed whether a person has set the share of the candidate
 * @param isActiveGiven whether somebody gave the active version to the loop
 * @param gain the gain of the candidates of this generation
 * @param guardrailGain the gain of their guardrail rewards
 * @param ruleSince version of the first spec of those under which decisions are comparable
 * @param cleanExamples number of correct propensities in a row that open the gate or, if it is
 *     open, opened it last; 0 if it was not closed in this generation
 * @param cleanExamplesLeft number of correct propensities until a closed gate opens; 0 if it is
 *     open
 * @param trusted whether no propensity of this generation was found to be wrong or inexact
 * @param waiting the newest candidate, if it is waiting for its turn
 * @param candidate comparison of the candidate with the active version
 * @param registered comparison of each registered candidate with the active version. Copied.
 * @param watched comparison of the previous version with the active one
 * @param canary comparison of the active version with a canary of a person
 */
public record GateState(
        Rollout rollout,
        long sequence,
        long comparedSoFar,
        long watchedSoFar,
        long turnsWithoutPromotion,
        long turnExamples,
        boolean shareIsFixed,
        boolean isActiveGiven,
        GainState gain,
        GainState guardrailGain,
        long ruleSince,
        long cleanExamples,
        long cleanExamplesLeft,
        boolean trusted,
        OptionalLong waiting,
        Optional<ComparisonState> candidate,
        List<ComparisonState> registered,
        Optional<ComparisonState> watched,
        Optional<ComparisonState> canary) {

    public GateState {
        registered = List.copyOf(registered);
        Require.atLeast(0, sequence, "sequence");
        Require.atLeast(0, comparedSoFar, "comparedSoFar");
        Require.atLeast(0, watchedSoFar, "watchedSoFar");
        Require.atLeast(0, turnsWithoutPromotion, "turnsWithoutPromotion");
        Require.atLeast(0, ruleSince, "ruleSince");
        if (rollout.closedReason().isPresent() != cleanExamplesLeft > 0) {
            throw new IllegalArgumentException(
                    "cleanExamplesLeft must be above 0 exactly if the gate is closed, got "
                            + cleanExamplesLeft);
        }
        Require.atLeast(cleanExamplesLeft, cleanExamples, "cleanExamples");
        if (candidate.isPresent() != rollout.candidateVersion().isPresent()) {
            throw new IllegalArgumentException(
                    "candidate must be present exactly if there is a candidate");
        }
        if (registered.size() != rollout.registeredVersions().size()) {
            throw new IllegalArgumentException(
                    "registered must have a comparison for each of %d candidates, got %d"
                            .formatted(rollout.registeredVersions().size(), registered.size()));
        }
        if (watched.isPresent() && rollout.previousVersion().isEmpty()) {
            throw new IllegalArgumentException("watched must be absent without a previous version");
        }
        if (canary.isPresent() != (rollout.stage() == Stage.CANARY && shareIsFixed)) {
            throw new IllegalArgumentException(
                    "canary must be present exactly if a person has set the share");
        }
    }

    static GateState start(long version, boolean isGiven, long specVersion) {
        return new GateState(
                Rollout.start(version),
                0,
                0,
                0,
                0,
                0,
                false,
                isGiven,
                GainState.NONE,
                GainState.NONE,
                specVersion,
                0,
                0,
                true,
                OptionalLong.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }
}
