package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts by loop. When there are too many loops, the one without records for the longest time is
 * removed. Thread-safe.
 */
final class LoopCounts {

    /** Limit on loops, that of the job's counts. Each takes about a kilobyte. */
    static final int MAX_LOOPS = JobCounts.MAX_LOOPS;

    /** The loop without records for the longest time comes first. */
    private final Map<String, RecentCount> counts = new LinkedHashMap<>();

    synchronized void add(String loop, long timeMs) {
        RecentCount known = counts.remove(loop);
        if (known == null) {
            known = new RecentCount();
            if (counts.size() >= MAX_LOOPS) {
                counts.remove(counts.keySet().iterator().next());
            }
        }
        counts.put(loop, known);
        known.add(timeMs);
    }

    synchronized FlowCount read(String loop, long nowMs) {
        RecentCount count = counts.get(loop);
        return count == null ? FlowCount.none() : count.read(nowMs);
    }

    synchronized void remove(String loop) {
        counts.remove(loop);
    }

    synchronized long total(String loop) {
        RecentCount count = counts.get(loop);
        return count == null ? 0 : count.total();
    }
}
