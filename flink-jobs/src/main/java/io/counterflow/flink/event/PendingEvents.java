package io.counterflow.flink.event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * Events that wait for the watermark, by loop and second.
 *
 * <p>They wait on the heap. Joined examples arrive shortly before the watermark that releases them,
 * so most are never written to the state backend. At each checkpoint, and if they need too much
 * memory, all events are written to the backend, in one chunk for each loop and second, and read
 * again when their second is due. So a batch run over a whole log keeps its events on disk.
 *
 * <p>Some methods require that the key of the loop is current.
 */
public final class PendingEvents {

    /** The state's name in savepoints. */
    public static final String STATE = "pending-events";

    private static final long SECOND_MS = 1_000L;

    /** Approximate heap of an event in addition to the bytes of its record. */
    private static final long OVERHEAD_BYTES = 400L;

    private final Map<String, Waiting> loops = new HashMap<>();
    private final MapState<Tuple2<Long, Integer>, List<LoopEvent>> chunks;
    private final Consumer<String> setCurrentKey;
    private long bytes;

    /**
     * @param setCurrentKey makes a loop's key current
     */
    public PendingEvents(
            MapState<Tuple2<Long, Integer>, List<LoopEvent>> chunks,
            Consumer<String> setCurrentKey) {
        this.chunks = chunks;
        this.setCurrentKey = setCurrentKey;
    }

    public static MapStateDescriptor<Tuple2<Long, Integer>, List<LoopEvent>> descriptor() {
        return new MapStateDescriptor<>(
                STATE,
                Types.TUPLE(Types.LONG, Types.INT),
                new ListTypeInfo<>(TypeInformation.of(LoopEvent.class)));
    }

    /** Restores the events in the state backend. */
    public void restore(Iterable<String> loopsInState) throws Exception {
        for (String loop : loopsInState) {
            setCurrentKey.accept(loop);
            Waiting waiting = new Waiting();
            for (Tuple2<Long, Integer> chunk : chunks.keys()) {
                waiting.chunks.merge(chunk.f0, chunk.f1 + 1, Math::max);
            }
            if (!waiting.isEmpty()) {
                loops.put(loop, waiting);
            }
        }
    }

    public void add(LoopEvent event) {
        Waiting waiting = loops.computeIfAbsent(event.loop(), loop -> new Waiting());
        waiting.eventsOf(second(event)).add(event);
        bytes += bytesOf(event);
    }

    /** Bytes of the events on the heap. */
    public long bytes() {
        return bytes;
    }

    /** Moves all events from the heap to the state backend. Leaves some key current. */
    public void moveToState() throws Exception {
        for (Map.Entry<String, Waiting> entry : loops.entrySet()) {
            Waiting waiting = entry.getValue();
            if (waiting.events.isEmpty()) {
                continue;
            }
            setCurrentKey.accept(entry.getKey());
            for (Map.Entry<Long, List<LoopEvent>> second : waiting.events.entrySet()) {
                int number = waiting.chunks.merge(second.getKey(), 1, Integer::sum) - 1;
                chunks.put(Tuple2.of(second.getKey(), number), second.getValue());
            }
            waiting.events.clear();
        }
        bytes = 0;
    }

    /** Loops with an event that may be due. */
    public List<String> loopsDueBy(long watermarkMs) {
        long due = Math.floorDiv(watermarkMs, SECOND_MS);
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, Waiting> entry : loops.entrySet()) {
            if (entry.getValue().firstSecond() <= due) {
                names.add(entry.getKey());
            }
        }
        return names;
    }

    /**
     * Removes and returns the due events of the first second of a loop, in order; null if there are
     * none. The key of the loop must be current.
     */
    public @Nullable List<LoopEvent> takeDue(String loop, long watermarkMs) throws Exception {
        Waiting waiting = loops.get(loop);
        if (waiting == null || waiting.firstSecond() > Math.floorDiv(watermarkMs, SECOND_MS)) {
            return null;
        }
        long second = waiting.firstSecond();
        List<LoopEvent> due = new ArrayList<>();
        for (LoopEvent event : takeAll(waiting, second)) {
            if (event.timeMs() <= watermarkMs) {
                due.add(event);
            } else { // later in the second of the watermark
                waiting.eventsOf(second).add(event);
                bytes += bytesOf(event);
            }
        }
        if (waiting.isEmpty()) {
            loops.remove(loop);
        }
        due.sort(LoopEvent.IN_ORDER);
        return due.isEmpty() ? null : due;
    }

    private List<LoopEvent> takeAll(Waiting waiting, long second) throws Exception {
        List<LoopEvent> all = new ArrayList<>();
        List<LoopEvent> events = waiting.events.remove(second);
        if (events != null) {
            all.addAll(events);
            events.forEach(event -> bytes -= bytesOf(event));
        }
        Integer stored = waiting.chunks.remove(second);
        for (int number = 0; stored != null && number < stored; number++) {
            Tuple2<Long, Integer> key = Tuple2.of(second, number);
            all.addAll(Objects.requireNonNull(chunks.get(key)));
            chunks.remove(key);
        }
        return all;
    }

    private static long second(LoopEvent event) {
        return Math.floorDiv(event.timeMs(), SECOND_MS);
    }

    private static long bytesOf(LoopEvent event) {
        byte[] value = event.raw().value();
        return OVERHEAD_BYTES + (value == null ? 0 : value.length);
    }

    /** The waiting events of one loop. */
    private static final class Waiting {
        final NavigableMap<Long, List<LoopEvent>> events = new TreeMap<>(); // on the heap
        final NavigableMap<Long, Integer> chunks = new TreeMap<>(); // number in state

        List<LoopEvent> eventsOf(long second) {
            return events.computeIfAbsent(second, it -> new ArrayList<>());
        }

        boolean isEmpty() {
            return events.isEmpty() && chunks.isEmpty();
        }

        long firstSecond() {
            long onHeap = events.isEmpty() ? Long.MAX_VALUE : events.firstKey();
            return chunks.isEmpty() ? onHeap : Math.min(onHeap, chunks.firstKey());
        }
    }
}
