package io.counterflow.flink.loop;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * When the next window of each loop ends, for the loops with an open window. The ends are in keyed
 * state and, in order, on the heap, so that the loops that are due at a watermark are found without
 * loading any other loop.
 *
 * <p>Flink's timers would do the same, but all that are due fire at once, before the task takes a
 * checkpoint barrier, and a timer that an event has made obsolete still fires.
 */
final class WindowEnds {

    /** Name of the state in savepoints. */
    static final String STATE = "window-end";

    private record LoopEnd(String loop, long endMs) {
        static final Comparator<LoopEnd> IN_ORDER =
                Comparator.comparingLong(LoopEnd::endMs).thenComparing(LoopEnd::loop);
    }

    private final ValueState<Long> stored;
    private final Map<String, LoopEnd> byLoop = new HashMap<>();
    private final TreeSet<LoopEnd> inOrder = new TreeSet<>(LoopEnd.IN_ORDER);

    WindowEnds(KeyedStateStore store) {
        this.stored = stored(store);
    }

    /** The end of the next window of the current key. */
    static ValueState<Long> stored(KeyedStateStore store) {
        return store.getState(new ValueStateDescriptor<>(STATE, Types.LONG));
    }

    /** Reads the end of a loop after a restart. The key of the loop must be current. */
    void restore(String loop) throws Exception {
        add(new LoopEnd(loop, Objects.requireNonNull(stored.value(), "a loop without its end")));
    }

    /** Whether the end of a loop differs from the one that is known. */
    boolean differs(String loop, OptionalLong endMs) {
        LoopEnd known = byLoop.get(loop);
        return known == null
                ? endMs.isPresent()
                : endMs.isEmpty() || endMs.getAsLong() != known.endMs();
    }

    /**
     * Replaces the end of a loop. The key of the loop must be current.
     *
     * @param endMs empty if the loop has no open window
     */
    void set(String loop, OptionalLong endMs) throws Exception {
        skip(loop);
        if (endMs.isPresent()) {
            stored.update(endMs.getAsLong());
            add(new LoopEnd(loop, endMs.getAsLong()));
        } else {
            stored.clear();
        }
    }

    private void add(LoopEnd end) {
        byLoop.put(end.loop(), end);
        inOrder.add(end);
    }

    /** Ignores a loop until its end is set again or the job restarts. */
    void skip(String loop) {
        LoopEnd known = byLoop.remove(loop);
        if (known != null) {
            inOrder.remove(known);
        }
    }

    /** The loop whose window ends first, if the watermark says that it is over. */
    Optional<String> firstDue(long watermarkMs) {
        return inOrder.isEmpty() || inOrder.first().endMs() - 1 > watermarkMs
                ? Optional.empty()
                : Optional.of(inOrder.first().loop());
    }
}
