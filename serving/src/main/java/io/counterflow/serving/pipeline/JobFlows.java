package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.SinceSnapshot;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Counts of the job's records. One thread adds; any thread reads. */
final class JobFlows {

    /** The key for all loops; no loop has an empty name. */
    static final String ALL = "";

    private final Map<Flow, LoopCounts> counts =
            Map.of(
                    Flow.EXAMPLES, new LoopCounts(),
                    Flow.LATE, new LoopCounts(),
                    Flow.DEAD_LETTERS, new LoopCounts());
    private final Map<String, Long> totalAtSnapshot = new ConcurrentHashMap<>();
    private final Map<Flow, String> newestLetter = new ConcurrentHashMap<>();
    private final CompletableFuture<Boolean> upToDate = new CompletableFuture<>();

    /** All records that existed when counting started have been counted. */
    void caughtUp() {
        upToDate.complete(true);
    }

    /** Completes when all records that existed when counting started have been counted. */
    CompletableFuture<Boolean> upToDate() {
        return upToDate.copy(); // so that callers cannot complete it
    }

    boolean isUpToDate() {
        return upToDate.isDone();
    }

    void example(String loop, long timeMs) {
        of(Flow.EXAMPLES).add(loop, timeMs);
    }

    /** Adds a late record or dead letter; its description quotes no user data. */
    void letter(Flow flow, Optional<String> loop, long timeMs, String description) {
        of(flow).add(ALL, timeMs);
        loop.ifPresent(name -> of(flow).add(name, timeMs));
        newestLetter.put(flow, description);
    }

    void snapshot(String loop) {
        if (totalAtSnapshot.size() >= LoopCounts.MAX_LOOPS) {
            totalAtSnapshot.clear(); // each loop's next snapshot adds it again
        }
        totalAtSnapshot.put(loop, of(Flow.EXAMPLES).total(loop));
    }

    FlowCount count(Flow flow, String loop, long nowMs) {
        return of(flow).read(loop, nowMs);
    }

    Optional<String> newestLetter(Flow flow) {
        return Optional.ofNullable(newestLetter.get(flow));
    }

    SinceSnapshot sinceSnapshot(String loop) {
        Long before = totalAtSnapshot.get(loop);
        long seen = of(Flow.EXAMPLES).total(loop);
        return before == null
                ? new SinceSnapshot(seen, false)
                : new SinceSnapshot(Math.max(0, seen - before), true);
    }

    private LoopCounts of(Flow flow) {
        LoopCounts of = counts.get(flow);
        if (of == null) {
            throw new IllegalArgumentException("the job does not write " + flow);
        }
        return of;
    }
}
