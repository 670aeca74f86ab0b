package io.counterflow.flink.windows;

import io.counterflow.flink.state.LoopStore;
import io.counterflow.schemas.record.WindowPaneRecord;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.MapState;

/**
 * The panes of loops in keyed state, one entry per pane. A checkpoint writes only the panes that
 * have changed since the last one.
 */
final class PaneStore implements LoopStore<LoopPanes> {

    private final Consumer<String> currentKey;
    private final MapState<Long, WindowPaneRecord> panes;

    PaneStore(Consumer<String> currentKey, MapState<Long, WindowPaneRecord> panes) {
        this.currentKey = currentKey;
        this.panes = panes;
    }

    @Override
    public LoopPanes load(String loop) throws Exception {
        currentKey.accept(loop);
        NavigableMap<Long, Pane> byStart = new TreeMap<>();
        for (Map.Entry<Long, WindowPaneRecord> pane : panes.entries()) {
            byStart.put(pane.getKey(), PaneConversion.toPane(pane.getValue()));
        }
        return new LoopPanes(byStart);
    }

    @Override
    public void write(String loop, LoopPanes value) throws Exception {
        currentKey.accept(loop);
        for (Map.Entry<Long, Pane> pane : value.byStart().entrySet()) {
            if (pane.getValue().changed()) {
                panes.put(pane.getKey(), PaneConversion.toRecord(pane.getValue()));
                pane.getValue().markStored();
            }
        }
    }

    /**
     * Removes panes that no window needs any more.
     *
     * @param startsMs starts of the panes that were written
     * @param last whether the loop has no other panes
     */
    void remove(String loop, List<Long> startsMs, boolean last) throws Exception {
        if (startsMs.isEmpty()) {
            return;
        }
        currentKey.accept(loop);
        if (last) {
            panes.clear(); // on the heap, an empty map would still be an entry
            return;
        }
        for (long startMs : startsMs) {
            panes.remove(startMs);
        }
    }

    @Override
    public long weigh(LoopPanes value) {
        return value.bytes();
    }
}
