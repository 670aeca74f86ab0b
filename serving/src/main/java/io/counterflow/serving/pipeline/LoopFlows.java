package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.FlowCount;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Counts of each loop: the records of this process, and those of the job. Thread-safe. */
public final class LoopFlows {

    private static final Duration INTEREST = Duration.ofMinutes(1);

    private final Clock clock;
    private final LoopCounts decisions = new LoopCounts();
    private final LoopCounts rewards = new LoopCounts();
    private volatile JobFlows job = new JobFlows();
    private volatile long askedMs = Long.MIN_VALUE;

    public LoopFlows(Clock clock) {
        this.clock = clock;
    }

    /** Counts a decision that Kafka has acknowledged. */
    public void decided(String loop) {
        decisions.add(loop, clock.millis());
    }

    /** Counts a reward that Kafka has acknowledged. */
    public void rewarded(String loop) {
        rewards.add(loop, clock.millis());
    }

    /** Whether somebody has read the counts within the last minute. */
    boolean isLookedAt() {
        return clock.millis() - INTEREST.toMillis() < askedMs;
    }

    /** The counts of the job's records. */
    JobFlows job() {
        return job;
    }

    /** Drops the counts of the job, because they are no longer updated. */
    void forgetJob() {
        job = new JobFlows();
    }

    /** Starts counting the job's records; completes when they are counted up to now. */
    CompletableFuture<Boolean> counted() {
        askedMs = clock.millis();
        return job.upToDate();
    }

    /** Whether the job's records are counted up to now. */
    boolean isCounted() {
        return job.isUpToDate();
    }

    FlowCount count(Flow flow, String loop) {
        long now = clock.millis();
        askedMs = now;
        return switch (flow) {
            case DECISIONS -> decisions.read(loop, now);
            case REWARDS -> rewards.read(loop, now);
            case EXAMPLES, LATE, DEAD_LETTERS -> job.count(flow, loop, now);
        };
    }
}
