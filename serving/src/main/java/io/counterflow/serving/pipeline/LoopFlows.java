package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.SinceSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What flows through each loop: what this process wrote, and what the job made of it. Safe for use
 * by several threads.
 */
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

    /** Kafka has a decision. */
    public void decided(String loop) {
        decisions.add(loop, clock.millis());
    }

    /** Kafka has a reward. */
    public void rewarded(String loop) {
        rewards.add(loop, clock.millis());
    }

    /** Whether somebody has looked lately: what the job writes is read for them only. */
    boolean isLookedAt() {
        return clock.millis() - INTEREST.toMillis() < askedMs;
    }

    /** What the job writes, as far as it is counted. */
    JobFlows job() {
        return job;
    }

    /** Nobody counts any more: what was counted grows old, and whoever looks next waits. */
    void forgetJob() {
        job = new JobFlows();
    }

    /** True, once what the job writes is counted up to now; asking makes that begin. */
    CompletableFuture<Boolean> counted() {
        askedMs = clock.millis();
        return job.upToDate();
    }

    /** Whether what the job writes is counted up to now. */
    boolean isCounted() {
        return job.isUpToDate();
    }

    /** How much came of a loop. */
    FlowCount count(Flow flow, String loop) {
        long now = clock.millis();
        askedMs = now;
        return switch (flow) {
            case DECISIONS -> decisions.read(loop, now);
            case REWARDS -> rewards.read(loop, now);
            case EXAMPLES, LATE, DEAD_LETTERS -> job.count(flow, loop, now);
        };
    }

    /** The newest late record, or dead letter, of any loop, in words. */
    Optional<String> newestLetter(Flow flow) {
        return job.newestLetter(flow);
    }

    SinceSnapshot sinceSnapshot(String loop) {
        return job.sinceSnapshot(loop);
    }
}
