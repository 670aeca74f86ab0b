package io.counterflow.core.loop;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;

/** Counts examples, rewards and event time since the last candidate was frozen. */
final class SnapshotClock {

    /** Share of all earlier rewards from which new ones make a difference. */
    private static final double NEW_REWARDS = 0.1;

    /** Number of examples after which the first policy of a reward model is worth serving. */
    private static final double FIRST_EXAMPLES = 10.0;

    /** Share of all examples of a reward model from which new ones make a difference. */
    private static final double NEW_EXAMPLES = 0.05;

    private long examples;
    private double rewards;
    private double earlierRewards;
    private long startMs; // −1 before any example
    private long latestMs;

    SnapshotClock(LearnerProgress progress) {
        this.examples = progress.sinceSnapshot();
        this.rewards = progress.rewardsSinceSnapshot();
        this.earlierRewards = progress.rewardsBeforeSnapshot();
        this.startMs = progress.snapshotMs();
        this.latestMs = progress.latestMs();
    }

    /** Counts an example. Event time never goes backwards. */
    void tick(double reward, long eventTimeMs) {
        examples++;
        rewards += reward;
        latestMs = Math.max(latestMs, eventTimeMs);
        if (startMs < 0) {
            startMs = latestMs;
        }
    }

    /**
     * Whether a candidate is due: after the examples, the rewards or the event time of the spec.
     */
    boolean due(LoopSpec spec) {
        return due(
                spec.get(LoopSettings.SNAPSHOT_EXAMPLES),
                spec.get(LoopSettings.SNAPSHOT_REWARDS),
                spec);
    }

    private boolean due(long everyExamples, double everyRewards, LoopSpec spec) {
        long everyMs = spec.get(LoopSettings.SNAPSHOT_INTERVAL).toMillis();
        return (everyExamples > 0 && examples >= everyExamples)
                || (everyRewards > 0.0
                        && rewards >= Math.max(everyRewards, NEW_REWARDS * earlierRewards))
                || (everyMs > 0 && latestMs - startMs >= everyMs);
    }

    /**
     * Whether a candidate is due that decides events at once, all or a share of them, from a reward
     * model that has learned from a number of examples. Examples take the place of rewards here: a
     * policy that is frozen because of a reward prefers the action that was just lucky.
     */
    boolean dueAtOnce(LoopSpec spec, long learned) {
        return due(spec.get(LoopSettings.SNAPSHOT_EXAMPLES), 0.0, spec)
                || (spec.get(LoopSettings.SNAPSHOT_REWARDS) > 0.0
                        && examples >= FIRST_EXAMPLES + NEW_EXAMPLES * learned);
    }

    void restart() {
        examples = 0;
        earlierRewards += rewards;
        rewards = 0.0;
        startMs = latestMs;
    }

    long examples() {
        return examples;
    }

    double rewards() {
        return rewards;
    }

    double earlierRewards() {
        return earlierRewards;
    }

    /** Event time since the last candidate, or since the first example. */
    long elapsedMs() {
        return startMs < 0 ? 0 : latestMs - startMs;
    }

    long startMs() {
        return startMs;
    }

    long latestMs() {
        return latestMs;
    }
}
