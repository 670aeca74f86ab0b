package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * The counters of the learner of a loop.
 *
 * @param priorVersion the version whose parameters are the prior of this generation
 * @param latestVersion the highest version of a candidate or prior so far
 * @param received number of examples so far, over all generations. The buffer holds the last of
 *     them: a store that keeps example number i at position i modulo the capacity never moves one
 * @param pending number of newest examples that have not been used in a step
 * @param learned number of examples of this generation that have been used in a step
 * @param steps number of steps on fresh examples so far, over all generations
 * @param stepsAtSnapshot the same, when the last candidate was frozen or the generation started
 * @param sinceSnapshot number of examples since then
 * @param snapshotMs event time of the last candidate or, before the first, of the first example; −1
 *     before any example
 * @param latestMs the latest event time so far; −1 before any example
 * @param certifiedFrom number of examples, of those received, that certificates must not use
 * @param variance σ² of the objective in the last step, which {@code bcrm} computes from time to
 *     time; 0 at the start of a generation and for other objectives
 */
public record LearnerProgress(
        long priorVersion,
        long latestVersion,
        long received,
        int pending,
        long learned,
        long steps,
        long stepsAtSnapshot,
        long sinceSnapshot,
        long snapshotMs,
        long latestMs,
        long certifiedFrom,
        double variance) {

    public LearnerProgress {
        Require.atLeast(priorVersion, latestVersion, "latestVersion");
        Require.atLeast(0, pending, "pending");
        Require.atLeast(pending, received, "received");
        Require.atLeast(0, learned, "learned");
        Require.atLeast(0, stepsAtSnapshot, "stepsAtSnapshot");
        Require.atLeast(stepsAtSnapshot, steps, "steps");
        Require.atLeast(0, sinceSnapshot, "sinceSnapshot");
        Require.atLeast(-1, snapshotMs, "snapshotMs");
        Require.atLeast(snapshotMs, latestMs, "latestMs");
        Require.atLeast(0, certifiedFrom, "certifiedFrom");
        Require.atLeast(certifiedFrom, received, "received");
        Require.finiteAtLeastZero(variance, "variance");
    }

    static LearnerProgress start(long version) {
        return new LearnerProgress(version, version, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0.0);
    }
}
