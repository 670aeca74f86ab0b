package io.counterflow.flink.loop;

import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ControlReader;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.JournalEntries;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.RefusalReason;
import io.counterflow.flink.event.RefusedEventException;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.sinks.SnapshotPublication;
import io.counterflow.flink.state.BlockCache;
import io.counterflow.flink.state.KeyedStorage;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.WriteBackCache;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.PaneStore;
import io.counterflow.flink.windows.WindowMetrics;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes the events of all loops and emits the results as records for Kafka.
 *
 * <p>Keyed by loop. A loop takes events in the order in which they arrive, numbers them and writes
 * them to its journal. Everything else that it emits is a function of the journal, so a replay of
 * the journal emits the same records. Where a window is open and no event arrives, the watermark
 * ends it: the passing of time becomes an entry of the journal as well.
 *
 * <p>The most recently used loops are in memory and are written to state at checkpoints. This
 * requires setting the current key in {@code snapshotState}, which a process function cannot do.
 *
 * <p>A loop that fails on an event is quarantined: it takes no more events until it is deleted, and
 * the other loops continue.
 */
public final class LoopOperator extends AbstractStreamOperator<OutgoingRecord>
        implements OneInputStreamOperator<LoopEvent, OutgoingRecord>,
                BoundedOneInput,
                Triggerable<String, VoidNamespace> {

    /** Identity in savepoints. If it is renamed, the state of all loops is lost. */
    public static final String UID = "loop";

    private static final long serialVersionUID = 1L;
    private static final Logger LOGGER = LoggerFactory.getLogger(LoopOperator.class);

    /** Name of the timers in savepoints. */
    static final String TIMERS = "loop-timers";

    /** Where the events of an operator come from. */
    public enum Source {
        /** Topics that are read as records arrive. The operator writes the journal. */
        LIVE,
        /** The journal of an earlier run. */
        JOURNAL
    }

    private final LoopOperatorConfig limits;
    private final IpsWindowsConfig windows;
    private final SinkConfig sink;
    private final Topics topics;
    private final CheckpointGuard guard;
    private final Source source;

    private transient EventReaders readers;
    private transient LoopMetrics loopMetrics;
    private transient LoopStates states;
    private transient PaneStore panes;
    private transient EventsWithoutSpec withoutSpec;
    private transient BlockCache blocks;
    private transient WriteBackCache<LoopSlot> cache;
    private transient SnapshotPublication snapshots;
    private transient LoopEmitter emitter;
    private transient InternalTimerService<VoidNamespace> timers;
    private transient CheckpointMarkers markers;
    private transient long quarantined;
    private transient boolean ended;

    /**
     * @param topics the topics to write to
     * @param guard checks that what was written fits the restored state
     */
    @SuppressWarnings("NullAway.Init") // Flink calls initializeState() and open() first
    public LoopOperator(
            LoopOperatorConfig limits,
            IpsWindowsConfig windows,
            SinkConfig sink,
            Topics topics,
            CheckpointGuard guard,
            Source source) {
        this.limits = limits;
        this.windows = windows;
        this.sink = sink;
        this.topics = topics;
        this.guard = guard;
        this.source = source;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        readers = new EventReaders(new ExampleReader(), new ControlReader());
        loopMetrics = new LoopMetrics(getMetricGroup());
        states = LoopStates.of(context.getKeyedStateStore());
        panes = new PaneStore(context.getKeyedStateStore(), windows.windows());
        withoutSpec = new EventsWithoutSpec(context.getKeyedStateStore(), limits.specWaitBytes());
        blocks = new BlockCache(limits.blockCacheBytes());
        cache =
                new WriteBackCache<>(
                        limits.cacheBytes(),
                        new StoredLoops(
                                limits,
                                states,
                                panes,
                                blocks,
                                this::setCurrentKey,
                                loopMetrics::loaded));
        snapshots = new SnapshotPublication(sink, getMetricGroup());
        emitter =
                new LoopEmitter(
                        topics,
                        source == Source.LIVE,
                        snapshots,
                        loopMetrics,
                        new WindowMetrics(getMetricGroup(), windows.meteredLoops()));
        markers =
                new CheckpointMarkers(
                        context,
                        getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                        sink.deployment(),
                        topics.name(Topic.CHECKPOINTS),
                        guard,
                        source == Source.JOURNAL);
        for (String loop : keysOf(EventsWithoutSpec.STATE)) {
            setCurrentKey(loop);
            withoutSpec.restore(loop);
        }
        quarantined = keysOf(LoopStates.QUARANTINE).size();
        loopMetrics.gauge("cached_bytes", () -> cache.weight());
        loopMetrics.gauge("cached_block_bytes", () -> blocks.bytes());
        loopMetrics.gauge("block_reads", () -> blocks.reads());
        loopMetrics.gauge("cached_loops", () -> cache.size());
        loopMetrics.gauge("quarantined_loops", () -> quarantined);
    }

    private List<String> keysOf(String state) {
        try (var keys =
                this.<String>getKeyedStateBackend().getKeys(state, VoidNamespace.INSTANCE)) {
            return keys.distinct().toList();
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        timers = getInternalTimerService(TIMERS, VoidNamespaceSerializer.INSTANCE, this);
    }

    @Override
    public void processElement(StreamRecord<LoopEvent> element) throws Exception {
        LoopEvent event = element.getValue();
        LoopSlot slot = slot(event.loop());
        if (source == Source.JOURNAL) {
            if (startsAgain(event, slot)) {
                forget(event.loop(), slot);
                slot = slot(event.loop());
            }
            requireNext(event, slot);
        }
        if (slot.isEmpty() && event.kind() != LoopEventKind.SPEC) {
            waitForSpec(event);
            return;
        }
        take(event, slot);
        if (slot.loop().isPresent() && withoutSpec.has(event.loop())) {
            setCurrentKey(event.loop());
            for (LoopEvent waiting : withoutSpec.remove(event.loop())) {
                take(waiting, slot(event.loop()));
            }
        }
    }

    private LoopSlot slot(String loop) throws Exception {
        LoopSlot slot = cache.get(loop);
        setCurrentKey(loop); // the cache may have written another loop
        return slot;
    }

    /** A loop that was deleted from a savepoint has no deletion in the journal. */
    private static boolean startsAgain(LoopEvent event, LoopSlot slot) {
        return event.kind() == LoopEventKind.SPEC && event.sequence() == 1 && slot.sequence() > 0;
    }

    /** A hole in the journal would give other results without any sign of it. */
    private static void requireNext(LoopEvent event, LoopSlot slot) {
        if (event.sequence() != slot.sequence() + 1) {
            throw new SuppressRestartsException( // it would stop at the same entry again
                    new IllegalStateException(
                            "the journal of loop %s must continue with entry %d, got %d: entries are missing or repeated"
                                    .formatted(
                                            event.loop(), slot.sequence() + 1, event.sequence())));
        }
    }

    private void waitForSpec(LoopEvent event) throws Exception {
        if (event.kind() == LoopEventKind.DELETION) {
            withoutSpec.remove(event.loop()).forEach(this::refuseWithoutSpec);
        } else if (limits.specWait().isZero() || !withoutSpec.add(event)) {
            refuseWithoutSpec(event);
        } else {
            long nowMs = timers.currentProcessingTime();
            long waitMs = limits.specWait().toMillis();
            // Rounded up, so that the events of a loop share few timers.
            timers.registerProcessingTimeTimer(
                    VoidNamespace.INSTANCE, (nowMs / waitMs + 2) * waitMs);
        }
        flush();
    }

    private void refuseWithoutSpec(LoopEvent event) {
        refuse(event, RefusalReason.UNKNOWN_LOOP, "the loop has no spec");
    }

    /** Called when the events of a loop have waited long enough for its spec. */
    @Override
    public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        setCurrentKey(timer.getKey());
        withoutSpec.remove(timer.getKey()).forEach(this::refuseWithoutSpec);
        flush();
    }

    private void take(LoopEvent event, LoopSlot slot) throws Exception {
        long before = slot.sequence();
        try {
            if (event.kind() == LoopEventKind.DELETION) {
                delete(event, slot);
                return;
            }
            takeOrRefuse(event, slot);
        } catch (RefusedEventException e) {
            refuse(event, e.rule(), String.valueOf(e.getMessage()));
        } catch (FlinkRuntimeException | CancelTaskException e) {
            throw e; // the state backend or the task, not the loop
        } catch (RuntimeException e) {
            quarantine(event, slot, before + 1, e);
        }
        flush();
        cache.changed(event.loop());
        setTimer(event.loop(), slot);
    }

    private void takeOrRefuse(LoopEvent event, LoopSlot slot) throws Exception {
        if (slot.quarantine().isPresent()) {
            throw new RefusedEventException(
                    RefusalReason.QUARANTINED,
                    "the loop is quarantined: " + slot.quarantine().get().getReason());
        }
        requireSize(event);
        if (slot.loop().isEmpty()) {
            LoopSpec spec = readers.controls().spec(event);
            slot.start(
                    LoadedLoop.start(
                            spec,
                            limits,
                            new KeyedStorage(event.loop(), states, blocks, spec.shape().zeros()),
                            panes.start(event.loop()),
                            event,
                            emitter));
            return;
        }
        slot.loop().get().take(event, readers, emitter);
        if (event.kind() == LoopEventKind.EXAMPLE) {
            loopMetrics.learned();
        }
    }

    /** An entry that brokers refuse would be a hole in the journal. */
    private void requireSize(LoopEvent event) throws RefusedEventException {
        byte[] value = event.raw().value();
        long bytes =
                (value == null ? 0L : value.length)
                        + 6L * event.loop().length() // key and field, at most three bytes each
                        + JournalEntries.OVERHEAD_BYTES;
        if (bytes > sink.maxRecordBytes()) {
            throw new RefusedEventException(
                    RefusalReason.TOO_LARGE,
                    "the entry of the journal must have at most %d bytes (sink.max-record-size), got %d"
                            .formatted(sink.maxRecordBytes(), bytes));
        }
    }

    /** The event that the loop failed on is in the journal, so a replay fails on it as well. */
    private void quarantine(
            LoopEvent event, LoopSlot slot, long sequence, RuntimeException failure) {
        LOGGER.error("loop {} failed and is quarantined", event.loop(), failure);
        emitter.dropResults();
        if (slot.sequence() < sequence) {
            emitter.entry(event, sequence);
        }
        // Without the message, which may quote feature values.
        String reason =
                "failed on entry %d (%s): %s"
                        .formatted(sequence, event.kind(), failure.getClass().getSimpleName());
        slot.loop().ifPresent(loop -> loop.quarantined(event, reason, emitter));
        slot.quarantine(new QuarantineRecord(reason, sequence));
        quarantined++;
    }

    private void delete(LoopEvent event, LoopSlot slot) throws Exception {
        emitter.entry(event, slot.sequence() + 1);
        List<Long> versions = new ArrayList<>();
        states.versions().keys().forEach(versions::add);
        versions.sort(null);
        emitter.tombstones(event.loop(), versions);
        forget(event.loop(), slot);
        flush();
    }

    private void forget(String loop, LoopSlot slot) {
        if (slot.quarantine().isPresent()) {
            quarantined--;
        }
        states.clear();
        panes.clear();
        blocks.removeAll(loop);
        cache.forget(loop);
    }

    private void refuse(LoopEvent event, RefusalReason rule, String reason) {
        loopMetrics.refused(rule);
        emitter.letter(event.raw().toDeadLetter(rule.name(), reason));
    }

    private void flush() {
        emitter.flush(record -> output.collect(new StreamRecord<>(record)));
    }

    /** In a replay, the journal says when time passed. */
    private void setTimer(String loop, LoopSlot slot) {
        if (source == Source.JOURNAL || slot.loop().isEmpty()) {
            return;
        }
        OptionalLong endMs = slot.loop().get().nextWindowEndMs();
        if (endMs.isPresent() && endMs.getAsLong() != slot.timerMs()) {
            setCurrentKey(loop);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, endMs.getAsLong() - 1);
            slot.timerMs(endMs.getAsLong());
        }
    }

    /** Ends a window, unless an event has ended it. */
    @Override
    public void onEventTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        String loop = timer.getKey();
        long endMs = timer.getTimestamp() + 1;
        LoopSlot slot = slot(loop);
        if (slot.loop().isEmpty()) {
            return;
        }
        OptionalLong next = slot.loop().get().nextWindowEndMs();
        if (next.isPresent() && next.getAsLong() <= endMs) {
            take(LoopEvent.time(loop, endMs * 1_000L), slot);
        } else {
            setTimer(loop, slot);
        }
    }

    /** The sink takes no records after the end of the input. */
    @Override
    public void endInput() {
        ended = true;
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        snapshots.await();
        if (!ended) {
            output.collect(new StreamRecord<>(markers.before(checkpointId)));
        }
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        cache.writeBack();
        markers.snapshot();
        super.snapshotState(context);
    }

    @Override
    public void close() throws Exception {
        if (snapshots != null) {
            snapshots.close();
        }
        super.close();
    }
}
