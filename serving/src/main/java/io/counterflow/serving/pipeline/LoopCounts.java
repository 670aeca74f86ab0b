package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts by loop. When there are too many loops, the one without records for the longest time is
 * removed. Thread-safe.
 */
final class LoopCounts {

    /** Limit on loops, each of which takes less than a kilobyte. */
    static final int MAX_LOOPS = 2_000;

    private final Map<String, RecentCount> counts = new ConcurrentHashMap<>();

    void add(String loop, long timeMs) {
        RecentCount known = counts.get(loop);
        if (known == null) {
            if (counts.size() >= MAX_LOOPS) {
                makeRoom();
            }
            known = counts.computeIfAbsent(loop, name -> new RecentCount());
        }
        known.add(timeMs);
    }

    private void makeRoom() {
        counts.entrySet().stream()
                .min(Comparator.comparingLong(it -> it.getValue().lastMs()))
                .ifPresent(quietest -> counts.remove(quietest.getKey()));
    }

    FlowCount read(String loop, long nowMs) {
        RecentCount count = counts.get(loop);
        return count == null ? FlowCount.none() : count.read(nowMs);
    }

    long total(String loop) {
        RecentCount count = counts.get(loop);
        return count == null ? 0 : count.total();
    }
}
