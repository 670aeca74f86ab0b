package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * The counters of the learner of a loop.
 *
 * @param activeVersion the logging policy
 * @param priorVersion the version whose parameters are the prior of LPR: the active one, or an
 *     earlier one if the active version comes from the reward model
 * @param latestVersion the highest version of a candidate or prior so far
 * @param received number of examples so far, over all generations. The buffer holds the last of
 *     them: a store that keeps example number i at position i modulo the capacity never moves one
 * @param pending number of newest examples that have not been used in a step
 * @param learned number of examples of this generation that have been used in a step
 * @param steps number of steps on fresh examples so far, over all generations
 * @param stepsAtSnapshot the same, when the last candidate was frozen or the generation started
 * @param sinceSnapshot number of examples since then
 * @param rewardsSinceSnapshot sum of rewards since then
 * @param rewardsBeforeSnapshot sum of rewards before then, over all generations
 * @param snapshotMs event time of the last candidate or, before the first, of the first example; −1
 *     before any example
 * @param latestMs the latest event time so far; −1 before any example
 * @param certifiedFrom number of examples, of those received, that certificates must not use
 * @param variance σ² of the objective in the last step, which {@code bcrm} computes from time to
 *     time; 0 at the start of a generation and for other objectives
 */
public record LearnerProgress(
        long activeVersion,
        long priorVersion,
        long latestVersion,
        long received,
        int pending,
        long learned,
        long steps,
        long stepsAtSnapshot,
        long sinceSnapshot,
        double rewardsSinceSnapshot,
        double rewardsBeforeSnapshot,
        long snapshotMs,
        long latestMs,
        long certifiedFrom,
        double variance) {

    public LearnerProgress {
        Require.atLeast(activeVersion, latestVersion, "latestVersion");
        Require.atLeast(priorVersion, latestVersion, "latestVersion");
        Require.atLeast(0, pending, "pending");
        Require.atLeast(pending, received, "received");
        Require.atLeast(0, learned, "learned");
        Require.atLeast(0, stepsAtSnapshot, "stepsAtSnapshot");
        Require.atLeast(stepsAtSnapshot, steps, "steps");
        Require.atLeast(0, sinceSnapshot, "sinceSnapshot");
        Require.finiteAtLeastZero(rewardsSinceSnapshot, "rewardsSinceSnapshot");
        Require.finiteAtLeastZero(rewardsBeforeSnapshot, "rewardsBeforeSnapshot");
        Require.atLeast(-1, snapshotMs, "snapshotMs");
        Require.atLeast(snapshotMs, latestMs, "latestMs");
        Require.atLeast(0, certifiedFrom, "certifiedFrom");
        Require.atLeast(certifiedFrom, received, "received");
        Require.finiteAtLeastZero(variance, "variance");
    }

    /** The same for another learner that takes over without its steps and examples. */
    LearnerProgress withoutSteps() {
        return new LearnerProgress(
                activeVersion,
                priorVersion,
                latestVersion,
                received,
                0,
                0,
                steps,
                steps,
                sinceSnapshot,
                rewardsSinceSnapshot,
                rewardsBeforeSnapshot,
                snapshotMs,
                latestMs,
                received,
                0.0);
    }

    static LearnerProgress start(long version) {
        return new LearnerProgress(
                version, version, version, 0, 0, 0, 0, 0, 0, 0.0, 0.0, -1, -1, 0, 0.0);
    }
}
