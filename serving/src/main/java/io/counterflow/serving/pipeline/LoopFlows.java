package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.FlowCount;
import java.time.Clock;

/** Counts the decisions and rewards of each loop in this process. Thread-safe. */
public final class LoopFlows {

    private final Clock clock;
    private final LoopCounts decisions = new LoopCounts();
    private final LoopCounts unlogged = new LoopCounts();
    private final LoopCounts rewards = new LoopCounts();

    public LoopFlows(Clock clock) {
        this.clock = clock;
    }

    /** Counts a decision that Kafka has acknowledged. */
    public void decided(String loop) {
        decisions.add(loop, clock.millis());
    }

    /** Counts a decision that Kafka has not acknowledged in time. */
    public void unlogged(String loop) {
        unlogged.add(loop, clock.millis());
    }

    /** Counts a reward that Kafka has acknowledged. */
    public void rewarded(String loop) {
        rewards.add(loop, clock.millis());
    }

    void forget(String loop) {
        decisions.remove(loop);
        unlogged.remove(loop);
        rewards.remove(loop);
    }

    FlowCount decisions(String loop) {
        return decisions.read(loop, clock.millis());
    }

    /** Decisions that were not logged. */
    FlowCount notLogged(String loop) {
        return unlogged.read(loop, clock.millis());
    }

    FlowCount rewards(String loop) {
        return rewards.read(loop, clock.millis());
    }
}
