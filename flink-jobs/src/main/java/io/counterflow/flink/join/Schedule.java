package io.counterflow.flink.join;

import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What waits for the watermark, in order. A queue per second keeps the queues short. */
final class Schedule {

    private final TreeMap<Long, PriorityQueue<Due>> bySecond = new TreeMap<>();

    void add(Due due) {
        bySecond.computeIfAbsent(
                        WaitingLog.second(due.dueMs()), it -> new PriorityQueue<>(Due.IN_ORDER))
                .add(due);
    }

    /** Removes and returns the first that is due at a watermark; null if there is none. */
    @Nullable Due poll(long watermarkMs) {
        Map.Entry<Long, PriorityQueue<Due>> first = bySecond.firstEntry();
        if (first == null) {
            return null;
        }
        PriorityQueue<Due> queue = first.getValue();
        if (Objects.requireNonNull(queue.peek()).dueMs() > watermarkMs) {
            return null;
        }
        Due due = queue.poll();
        if (queue.isEmpty()) {
            bySecond.remove(first.getKey());
        }
        return due;
    }
}
