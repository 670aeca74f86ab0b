package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.sinks.SnapshotFiles;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.types.RecordMapState;
import io.counterflow.flink.types.RecordState;
import io.counterflow.flink.windows.PaneStore;
import io.counterflow.schemas.record.WindowPaneRecord;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.jspecify.annotations.Nullable;

/**
 * Reads and deletes the loops of a subtask of the {@link LoopOperator} in its restored state,
 * without loading them: also those that cannot be loaded.
 */
public final class SavedLoops {

    private final KeyedStateBackend<String> backend;
    private final LoopStates states;
    private final RecordMapState<WindowPaneRecord> panes;
    private final ValueState<Long> windowEnd;
    private final ListState<LoopEvent> withoutSpec;
    private final MapState<Long, String> files;

    public SavedLoops(KeyedStateBackend<String> backend, KeyedStateStore store) {
        this.backend = backend;
        this.states = LoopStates.of(store);
        this.panes = PaneStore.stored(store);
        this.windowEnd = WindowEnds.stored(store);
        this.withoutSpec = EventsWithoutSpec.stored(store);
        this.files = SnapshotFiles.stored(store);
    }

    /** The names of all loops, in alphabetical order. */
    public NavigableSet<String> names() {
        NavigableSet<String> names = new TreeSet<>();
        for (String state :
                List.of(LoopStates.LOOP, LoopStates.QUARANTINE, EventsWithoutSpec.STATE)) {
            try (var keys = backend.getKeys(state, VoidNamespace.INSTANCE)) {
                keys.forEach(names::add);
            }
        }
        return names;
    }

    /** Reads a loop. What cannot be read is empty, and the loop has a problem. */
    public SavedLoop read(String name) {
        backend.setCurrentKey(name);
        Problems problems = new Problems();
        return new SavedLoop(
                name,
                problems.orEmpty("state", states.loop()),
                problems.orEmpty("specs", states.specs()),
                problems.orEmpty("parameters", states.learned()),
                problems.orEmpty("reward model", states.rewardModel()),
                problems.orEmpty("quarantine", states.quarantine()),
                problems.orElse("versions", List.of(), () -> numbers(states.versions())),
                problems.orElse("waiting events", 0, () -> count(withoutSpec.get())),
                problems.orElse("windows", List.of(), () -> numbers(panes)),
                problems.orElse("windows", OptionalLong.empty(), () -> optional(windowEnd.value())),
                problems.first());
    }

    /** The keys in ascending order. Reads the values as well, to see whether they can be read. */
    private static List<Long> numbers(RecordMapState<?> state) throws Exception {
        return List.copyOf(state.all().keySet());
    }

    private static OptionalLong optional(@Nullable Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static int count(@Nullable Iterable<LoopEvent> events) {
        int count = 0;
        if (events != null) {
            for (LoopEvent unused : events) {
                count++;
            }
        }
        return count;
    }

    /** Deletes a loop with all its state. The files of its snapshots stay. */
    public void delete(String name) {
        backend.setCurrentKey(name);
        states.clear();
        panes.clear();
        windowEnd.clear();
        withoutSpec.clear();
        files.clear(); // the files themselves stay
    }

    /** Collects what cannot be read. */
    private static final class Problems {

        @FunctionalInterface
        interface Reading<T> {
            T read() throws Exception;
        }

        private Optional<String> first = Optional.empty();

        <T extends SpecificRecordBase> Optional<T> orEmpty(String what, RecordState<T> state) {
            return orElse(what, Optional.empty(), () -> Optional.ofNullable(state.value()));
        }

        <T> T orElse(String what, T fallback, Reading<T> reading) {
            try {
                return reading.read();
            } catch (Exception e) { // Flink and Avro throw many kinds for damaged bytes
                if (first.isEmpty()) {
                    first = Optional.of("its %s cannot be read: %s".formatted(what, kindOf(e)));
                }
                return fallback;
            }
        }

        /** Without the message, which may quote feature values. */
        private static String kindOf(Throwable thrown) {
            Throwable root = thrown;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return root.getClass().getSimpleName();
        }

        Optional<String> first() {
            return first;
        }
    }
}
