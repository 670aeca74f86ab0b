package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The panes of one loop that some window still needs, by their start in milliseconds. */
final class LoopPanes {

    private static final int OWN_BYTES = 300;

    private final NavigableMap<Long, Pane> panes;
    private final List<Long> removed = new ArrayList<>();
    private long bytes;

    // Examples arrive in order, so the next one usually has the same pane.
    private long latestStartMs;
    private @Nullable Pane latest;

    LoopPanes(NavigableMap<Long, Pane> panes) {
        this.panes = panes;
        this.bytes = OWN_BYTES;
        for (Pane pane : panes.values()) {
            bytes += pane.bytes();
        }
    }

    /** Opens the pane of the next example. */
    void open(long startMs) {
        if (latest != null && latestStartMs == startMs) {
            return;
        }
        Pane known = panes.get(startMs);
        if (known == null) {
            known = new Pane();
            panes.put(startMs, known);
            bytes += known.bytes();
        }
        latestStartMs = startMs;
        latest = known;
    }

    /**
     * Adds one example to the pane that was opened last.
     *
     * @return false if the pane has too many versions
     */
    boolean add(ScoredExample example) {
        Pane pane = latest;
        if (pane == null) {
            throw new IllegalStateException("an example needs an open pane");
        }
        bytes -= pane.bytes();
        boolean taken = pane.add(example);
        bytes += pane.bytes();
        return taken;
    }

    /**
     * The sums of each version in a window, lower versions first. Panes are merged in time order.
     */
    SortedMap<Long, VersionPane> window(long startMs, long endMs) {
        SortedMap<Long, VersionPane> window = new TreeMap<>();
        for (Pane pane : panes.subMap(startMs, endMs).values()) {
            pane.mergeInto(window);
        }
        return window;
    }

    /** Removes the panes that start at a time or earlier. */
    void forgetThrough(long startMs) {
        NavigableMap<Long, Pane> over = panes.headMap(startMs, true);
        for (Map.Entry<Long, Pane> pane : over.entrySet()) {
            bytes -= pane.getValue().bytes();
            if (pane.getValue().stored()) {
                removed.add(pane.getKey());
            }
        }
        over.clear();
        latest = null;
    }

    /** Starts of the panes that were removed but are still in the store; mutable. */
    List<Long> removed() {
        return removed;
    }

    boolean isEmpty() {
        return panes.isEmpty();
    }

    NavigableMap<Long, Pane> byStart() {
        return panes;
    }

    /** Approximate heap of the panes, in bytes. */
    long bytes() {
        return bytes;
    }
}
