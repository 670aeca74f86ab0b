package io.counterflow.flink.loop;

import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ControlReader;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.JournalEntries;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.RefusalReason;
import io.counterflow.flink.event.RefusedEventException;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.LoopTally;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.sinks.SnapshotFiles;
import io.counterflow.flink.sinks.SnapshotPublication;
import io.counterflow.flink.state.BlockCache;
import io.counterflow.flink.state.KeyedStorage;
import io.counterflow.flink.state.LoopHeap;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.WriteBackCache;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.PaneStore;
import io.counterflow.flink.windows.WindowMetrics;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
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
 * ends it: the passing of time becomes an entry of the journal as well. The watermark ends the
 * windows of one loop at a time. In between, the task takes events and checkpoint barriers, and the
 * next operator gets the watermark when no loop is due at it any more.
 *
 * <p>The most recently used loops are in memory and are written to state at checkpoints. This
 * requires setting the current key in {@code snapshotState}, which a process function cannot do.
 *
 * <p>A loop that fails on an event is quarantined: it takes no more events until it is deleted, and
 * the other loops continue.
 */
public final class LoopOperator extends AbstractStreamOperator<OutgoingRecord>
        implements OneInputStreamOperator<LoopEvent, OutgoingRecord>, BoundedOneInput {

    /** Identity in savepoints. If it is renamed, the state of all loops is lost. */
    public static final String UID = "loop";

    private static final long serialVersionUID = 2L;
    private static final Logger LOGGER = LoggerFactory.getLogger(LoopOperator.class);

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
    private transient LoopTally tally;
    private transient LoopStates states;
    private transient PaneStore panes;
    private transient EventsWithoutSpec withoutSpec;
    private transient BlockCache blocks;
    private transient WriteBackCache<LoopSlot> cache;
    private transient SnapshotPublication snapshots;
    private transient SnapshotFiles files;
    private transient LoopEmitter emitter;
    private transient WindowEnds ends;
    private transient MailboxExecutor mailbox;
    private transient CheckpointMarkers markers;
    private transient long watermarkMs;
    private transient boolean ending; // the rest of a watermark is in the mailbox
    private transient Set<String> quarantined;
    private transient Set<String> leftOut;
    private transient boolean waitingForDeadline;
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
        readers =
                new EventReaders(
                        new ExampleReader(),
                        new ControlReader(LoopHeap.maxPolicy(limits.maxLoopBytes())));
        loopMetrics = new LoopMetrics(getMetricGroup());
        tally = new LoopTally(topics.name(Topic.LOOP_COUNTS), nowMs());
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
        files = new SnapshotFiles(context, snapshots, source == Source.LIVE);
        emitter =
                new LoopEmitter(
                        topics,
                        source == Source.LIVE,
                        snapshots,
                        files,
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
        mailbox =
                getContainingTask()
                        .getMailboxExecutorFactory()
                        .createExecutor(getOperatorConfig().getChainIndex());
        watermarkMs = Long.MIN_VALUE;
        ends = new WindowEnds(context.getKeyedStateStore());
        for (String loop : keysOf(WindowEnds.STATE)) {
            setCurrentKey(loop);
            ends.restore(loop);
        }
        quarantined = new HashSet<>(keysOf(LoopStates.QUARANTINE));
        leftOut = new HashSet<>();
        loopMetrics.gauge("cached_bytes", () -> cache.weight());
        loopMetrics.gauge("cached_block_bytes", () -> blocks.bytes());
        loopMetrics.gauge("block_reads", () -> blocks.reads());
        loopMetrics.gauge("cached_loops", () -> cache.size());
        loopMetrics.gauge("quarantined_loops", () -> quarantined.size());
    }

    private List<String> keysOf(String state) {
        try (var keys =
                this.<String>getKeyedStateBackend().getKeys(state, VoidNamespace.INSTANCE)) {
            return keys.distinct().toList();
        }
    }

    /** The events of loops without a spec wait anew after a restart. */
    @Override
    public void open() throws Exception {
        super.open();
        long deadlineMs = specDeadlineMs();
        for (String loop : keysOf(EventsWithoutSpec.STATE)) {
            setCurrentKey(loop);
            withoutSpec.restore(loop, deadlineMs);
        }
        waitForFirstDeadline();
    }

    @Override
    public void processElement(StreamRecord<LoopEvent> element) throws Exception {
        LoopEvent event = element.getValue();
        LoopSlot slot = slot(event.loop());
        if (source == Source.JOURNAL) {
            if (startsAgain(event, slot)) {
                forget(event.loop());
                slot = slot(event.loop());
            }
            if (slot.isEmpty() && event.sequence() > 1) {
                leaveOut(event);
                return;
            }
            if (slot.quarantine().isEmpty()) {
                requireNext(event, slot);
            }
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
        if (slot.quarantine().isPresent()) {
            quarantined.add(loop); // maybe its state cannot be restored
        }
        return slot;
    }

    /** The journal does not have every deletion, for example not that from a savepoint. */
    private static boolean startsAgain(LoopEvent event, LoopSlot slot) {
        return event.kind() == LoopEventKind.SPEC && event.sequence() == 1 && !slot.isEmpty();
    }

    /**
     * Leaves out a loop whose first entries have expired, until it starts again. One dead letter
     * says so, or another one after a restart of the replay.
     */
    private void leaveOut(LoopEvent event) {
        if (leftOut.add(event.loop())) {
            String reason =
                    "the replay leaves out loop %s: its journal starts with entry %d, because earlier entries have expired (kafka.log-retention)"
                            .formatted(event.loop(), event.sequence());
            LOGGER.warn(reason);
            refuse(event, RefusalReason.EXPIRED_JOURNAL, reason);
            flush();
        }
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
        } else if (limits.specWait().isZero() || !withoutSpec.add(event, specDeadlineMs())) {
            refuseWithoutSpec(event);
        } else {
            waitForFirstDeadline();
        }
        flush();
    }

    private long specDeadlineMs() {
        return nowMs() + limits.specWait().toMillis();
    }

    private long nowMs() {
        return getProcessingTimeService().getCurrentProcessingTime();
    }

    /** One timer is enough: deadlines are in the order of arrival. */
    private void waitForFirstDeadline() {
        OptionalLong firstMs = withoutSpec.firstDeadlineMs();
        if (firstMs.isPresent() && !waitingForDeadline) {
            waitingForDeadline = true;
            Object unused =
                    getProcessingTimeService()
                            .registerTimer(firstMs.getAsLong(), this::refuseAfterDeadline);
        }
    }

    private void refuseWithoutSpec(LoopEvent event) {
        refuse(event, RefusalReason.UNKNOWN_LOOP, "the loop has no spec");
    }

    /** Refuses the events that have waited long enough for the spec of their loop. */
    private void refuseAfterDeadline(long nowMs) throws Exception {
        waitingForDeadline = false;
        for (String loop : withoutSpec.overdue(nowMs)) {
            setCurrentKey(loop);
            withoutSpec.remove(loop).forEach(this::refuseWithoutSpec);
        }
        flush();
        waitForFirstDeadline();
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
        setWindowEnd(event.loop(), slot);
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
            LoopLearner learner = slot.loop().get().loop().learner();
            tally.example(
                    event.loop(),
                    learner.received(),
                    learner.sinceCandidate(),
                    learner.latestVersion());
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
        LOGGER.error("loop {} failed and is quarantined", event.loop(), QuietFailure.of(failure));
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
        quarantined.add(event.loop());
    }

    private void delete(LoopEvent event, LoopSlot slot) throws Exception {
        if (slot.sequence() != LoopSlot.UNKNOWN_SEQUENCE) {
            emitter.entry(event, slot.sequence() + 1); // a wrong number would stop every replay
        }
        List<Long> versions = new ArrayList<>();
        states.versions().numbers().forEach(versions::add);
        versions.sort(null);
        emitter.tombstones(event.loop(), versions);
        forget(event.loop());
        flush();
    }

    private void forget(String loop) throws Exception {
        quarantined.remove(loop);
        states.clear();
        panes.clear();
        blocks.removeAll(loop);
        files.removeAll();
        ends.set(loop, OptionalLong.empty());
        cache.forget(loop);
    }

    private void refuse(LoopEvent event, RefusalReason rule, String reason) {
        loopMetrics.refused(rule);
        tally.unused(
                UnusedKindRecord.DEAD_LETTER,
                rule == RefusalReason.UNKNOWN_LOOP ? LoopTally.NO_LOOP : event.loop(),
                rule.name(),
                reason);
        emitter.letter(event.raw().toDeadLetter(rule.name(), reason));
    }

    private void flush() {
        emitter.flush(record -> output.collect(new StreamRecord<>(record)));
    }

    private void setWindowEnd(String loop, LoopSlot slot) throws Exception {
        if (slot.loop().isEmpty() && !slot.hasFailed()) {
            return; // if its state cannot be restored, it keeps the end for a later release
        }
        OptionalLong endMs =
                slot.loop().isPresent()
                        ? slot.loop().get().nextWindowEndMs()
                        : OptionalLong.empty();
        if (ends.differs(loop, endMs)) { // once per window, not per event
            setCurrentKey(loop); // the cache may have written another loop
            ends.set(loop, endMs);
        }
    }

    /** Ends the windows that are over. In a replay, the journal says when time passed. */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        watermarkMs = Math.max(watermarkMs, mark.getTimestamp());
        if (!ending) {
            endWindows();
        }
    }

    private void endWindows() throws Exception {
        ending = endWindowsOfOneLoop();
        if (ending) {
            mailbox.execute(
                    MailboxExecutor.MailOptions.deferrable(), this::endMoreWindows, "end windows");
        } else {
            output.emitWatermark(new Watermark(watermarkMs));
        }
    }

    private void endMoreWindows() throws Exception {
        if (ending) { // not after the end of the input
            endWindows();
        }
    }

    /** Ends all windows of a loop that are over; returns false if no loop has one. */
    private boolean endWindowsOfOneLoop() throws Exception {
        Optional<String> due =
                source == Source.LIVE ? ends.firstDue(watermarkMs) : Optional.empty();
        if (due.isEmpty()) {
            return false;
        }
        String loop = due.get();
        LoopSlot slot = slot(loop);
        if (slot.loop().isEmpty()) { // this release cannot restore its state
            ends.skip(loop);
            return true;
        }
        while (slot.loop().isPresent()) {
            OptionalLong endMs = slot.loop().get().nextWindowEndMs();
            if (endMs.isEmpty() || endMs.getAsLong() - 1 > watermarkMs) {
                break;
            }
            setCurrentKey(loop);
            take(LoopEvent.time(loop, endMs.getAsLong() * 1_000L), slot);
        }
        setWindowEnd(loop, slot); // windows of another size end at other times after a restart
        return true;
    }

    /** The sink takes no records after the end of the input. */
    @Override
    public void endInput() throws Exception {
        endRemainingWindows();
        reportCounts();
        output.collect(new StreamRecord<>(markers.atEndOfInput()));
        ended = true;
    }

    @Override
    public void finish() throws Exception {
        endRemainingWindows(); // a job that stops without draining has no end of the input
        super.finish();
    }

    private void endRemainingWindows() throws Exception {
        while (ending) {
            ending = endWindowsOfOneLoop();
            if (!ending) {
                output.emitWatermark(new Watermark(watermarkMs));
            }
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        snapshots.await();
        if (ended) {
            markers.requireCommitted();
        } else {
            reportCounts();
            output.collect(new StreamRecord<>(markers.before(checkpointId)));
        }
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    /** A replay has other counts than the live job, and writes none. */
    private void reportCounts() {
        tally.report(
                nowMs(),
                record -> {
                    if (source == Source.LIVE) {
                        output.collect(new StreamRecord<>(record));
                    }
                });
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        cache.writeBack();
        markers.snapshot();
        files.store(context.getCheckpointId());
        super.snapshotState(context);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        files.complete(checkpointId);
    }

    @Override
    public void close() throws Exception {
        if (snapshots != null) {
            snapshots.close();
        }
        super.close();
    }
}
