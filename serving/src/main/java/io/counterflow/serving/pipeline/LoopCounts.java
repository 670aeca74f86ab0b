package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One count per loop, of as many loops as there is room for: the one that has been quiet for
 * longest makes room. Safe for use by several threads.
 */
final class LoopCounts {

    /** Less than a kilobyte each. */
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
