package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * The state of {@link LearnerEvidence}, for storage.
 *
 * @param prefersLpr whether LPR's policy goes forward
 * @param sum sum of the estimated differences between the values of the reward model's policy and
 *     that of LPR, in which older examples count less
 * @param squares sum of their squares, for the variance of the sum
 * @param largestWeight the largest 1/p of an example with a reward so far
 * @param sumOverActive sum of the estimated differences between the values of the policy that goes
 *     forward and the active version, while that must be beaten first
 * @param squaresOverActive sum of their squares
 */
public record EvidenceState(
        boolean prefersLpr,
        double sum,
        double squares,
        double largestWeight,
        double sumOverActive,
        double squaresOverActive) {

    /** Before the first example. */
    static final EvidenceState START = new EvidenceState(false, 0.0, 0.0, 0.0, 0.0, 0.0);

    public EvidenceState {
        Require.finite(sum, "sum");
        Require.finiteAtLeastZero(squares, "squares");
        Require.finiteAtLeastZero(largestWeight, "largestWeight");
        Require.finite(sumOverActive, "sumOverActive");
        Require.finiteAtLeastZero(squaresOverActive, "squaresOverActive");
    }
}
