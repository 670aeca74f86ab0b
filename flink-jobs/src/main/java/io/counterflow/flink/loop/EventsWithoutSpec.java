package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Events of loops that have no spec yet, in the order of their arrival. Topics are read
 * independently, so the first examples of a loop may arrive before its spec. All events of a loop
 * wait until the deadline of its first one. Deadlines are not part of the state. The key of the
 * loop must be current.
 */
final class EventsWithoutSpec {

    /** Name of the state in savepoints. */
    static final String STATE = "events-without-spec";

    /** Approximate size of an event in addition to its record. */
    private static final long OVERHEAD_BYTES = 200;

    private final ListState<LoopEvent> events;
    private final long maxBytes;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>(); // by deadline
    private long bytes;

    private record Waiting(long deadlineMs, long bytes) {}

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
    void restore(String loop, long deadlineMs) throws Exception {
        for (LoopEvent event : events.get()) {
            count(loop, bytesOf(event), deadlineMs);
        }
    }

    /**
     * Adds an event.
     *
     * @param deadlineMs when the loop must have a spec, if this is its first event
     * @return false if there is no room
     */
    boolean add(LoopEvent event, long deadlineMs) throws Exception {
        long size = bytesOf(event);
        if (bytes + size > maxBytes) {
            return false;
        }
        events.add(event);
        count(event.loop(), size, deadlineMs);
        return true;
    }

    private void count(String loop, long size, long deadlineMs) {
        Waiting before = waiting.get(loop);
        waiting.put(
                loop,
                before == null
                        ? new Waiting(deadlineMs, size)
                        : new Waiting(before.deadlineMs(), before.bytes() + size));
        bytes += size;
    }

    /** The first deadline; empty if no events wait. */
    OptionalLong firstDeadlineMs() {
        return waiting.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(waiting.values().iterator().next().deadlineMs());
    }

    /** The loops whose deadline has passed. */
    List<String> overdue(long nowMs) {
        List<String> loops = new ArrayList<>();
        for (Map.Entry<String, Waiting> loop : waiting.entrySet()) {
            if (loop.getValue().deadlineMs() > nowMs) {
                break;
            }
            loops.add(loop.getKey());
        }
        return loops;
    }

    /** Whether events of a loop wait. */
    boolean has(String loop) {
        return waiting.containsKey(loop);
    }

    /** Removes and returns the events of a loop, in the order of their arrival. */
    List<LoopEvent> remove(String loop) throws Exception {
        Waiting removing = waiting.remove(loop);
        if (removing == null) {
            return List.of();
        }
        bytes -= removing.bytes();
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
