package io.counterflow.flink.windows;

import io.counterflow.flink.types.RecordMapState;
import io.counterflow.schemas.record.WindowPaneRecord;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.api.common.state.KeyedStateStore;

/**
 * The panes of loops in keyed state, one entry per pane. A checkpoint writes only the panes that
 * have changed since the last one. The key of the loop must be current.
 */
public final class PaneStore {

    private final WindowConfig config;
    private final RecordMapState<WindowPaneRecord> stored;

    public PaneStore(KeyedStateStore store, WindowConfig config) {
        this.config = config;
        this.stored = stored(store);
    }

    /** The panes of the current key by their start in milliseconds. */
    public static RecordMapState<WindowPaneRecord> stored(KeyedStateStore store) {
        return new RecordMapState<>(store, "panes", WindowPaneRecord.class);
    }

    /** The windows of a loop that starts. */
    public LoopWindows start(String loop) {
        return new LoopWindows(loop, config, new LoopPanes(new TreeMap<>()));
    }

    public LoopWindows load(String loop) throws Exception {
        NavigableMap<Long, Pane> byStart = new TreeMap<>();
        stored.all().forEach((startMs, pane) -> byStart.put(startMs, PaneConversion.toPane(pane)));
        return new LoopWindows(loop, config, new LoopPanes(byStart));
    }

    public void write(LoopWindows windows) throws Exception {
        LoopPanes panes = windows.panes();
        if (panes.isEmpty()) {
            stored.clear(); // on the heap, an empty map would still be an entry
        } else {
            for (long startMs : panes.removed()) {
                stored.remove(startMs);
            }
        }
        panes.removed().clear();
        for (Map.Entry<Long, Pane> pane : panes.byStart().entrySet()) {
            if (pane.getValue().changed()) {
                stored.put(pane.getKey(), PaneConversion.toRecord(pane.getValue()));
                pane.getValue().markStored();
            }
        }
    }

    /** Removes all panes of a loop. */
    public void clear() {
        stored.clear();
    }
}
