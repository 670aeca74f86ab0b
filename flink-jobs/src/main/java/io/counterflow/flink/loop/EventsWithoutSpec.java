package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Events of loops that have no spec yet, in the order of their arrival. Topics are read
 * independently, so the first examples of a loop may arrive before its spec. The key of the loop
 * must be current.
 */
final class EventsWithoutSpec {

    /** Name of the state in savepoints. */
    static final String STATE = "events-without-spec";

    /** Approximate size of an event in addition to its record. */
    private static final long OVERHEAD_BYTES = 200;

    private final ListState<LoopEvent> events;
    private final long maxBytes;
    private final Map<String, Long> bytesByLoop = new HashMap<>();
    private long bytes;

    EventsWithoutSpec(KeyedStateStore store, long maxBytes) {
        this.events = stored(store);
        this.maxBytes = maxBytes;
    }

    /** The events of the current key. */
    static ListState<LoopEvent> stored(KeyedStateStore store) {
        return store.getListState(
                new ListStateDescriptor<>(STATE, TypeInformation.of(LoopEvent.class)));
    }

    /** Counts the events of the current key after a restart. */
    void restore(String loop) throws Exception {
        for (LoopEvent event : events.get()) {
            count(loop, bytesOf(event));
        }
    }

    /**
     * Adds an event.
     *
     * @return false if there is no room
     */
    boolean add(LoopEvent event) throws Exception {
        long size = bytesOf(event);
        if (bytes + size > maxBytes) {
            return false;
        }
        events.add(event);
        count(event.loop(), size);
        return true;
    }

    private void count(String loop, long size) {
        bytesByLoop.merge(loop, size, Long::sum);
        bytes += size;
    }

    /** Whether events of a loop wait. */
    boolean has(String loop) {
        return bytesByLoop.containsKey(loop);
    }

    /** Removes and returns the events of a loop, in the order of their arrival. */
    List<LoopEvent> remove(String loop) throws Exception {
        Long size = bytesByLoop.remove(loop);
        if (size == null) {
            return List.of();
        }
        bytes -= size;
        List<LoopEvent> removed = new ArrayList<>();
        events.get().forEach(removed::add);
        events.clear();
        return removed;
    }

    private static long bytesOf(LoopEvent event) {
        byte[] value = event.raw().value();
        return OVERHEAD_BYTES + (value == null ? 0 : value.length);
    }
}
