package io.counterflow.flink.loop;

import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ControlReader;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.LoopPosition;
import io.counterflow.flink.event.PendingEvents;
import io.counterflow.flink.event.RefusalReason;
import io.counterflow.flink.event.RefusedEventException;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.WriteBackCache;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Processes the events of all loops, in order for each loop, and emits the results.
 *
 * <p>Keyed by loop. Events wait for the watermark. Then each loop processes its events in the order
 * of {@link LoopEvent#IN_ORDER}, which does not depend on their arrival. All due events of a loop
 * are processed before those of the next loop, so that a loop that is not in memory is loaded only
 * once for them.
 *
 * <p>The most recently used loops are in memory and are written to state at checkpoints. This
 * requires setting the current key in {@code snapshotState}, which a process function cannot do.
 *
 * <p>An event is late if its loop has already processed or refused a later event. Late events and
 * duplicates are emitted to {@link #LATE}. An event after the last processed one is not late, even
 * if it arrives after the watermark.
 */
public final class LoopOperator extends AbstractStreamOperator<ScoredExample>
        implements OneInputStreamOperator<LoopEvent, ScoredExample> {

    /** Identity in savepoints. If it is renamed, the state of all loops is lost. */
    public static final String UID = "loop";

    public static final OutputTag<PolicySnapshotRecord> SNAPSHOTS =
            new OutputTag<>("snapshots", new WireTypeInfo<>(PolicySnapshotRecord.class));

    public static final OutputTag<RolloutRecord> ROLLOUTS =
            new OutputTag<>("rollouts", new WireTypeInfo<>(RolloutRecord.class));

    /**
     * Examples in the order in which their loops processed or refused them, without late examples.
     * A batch run learns from them.
     */
    public static final OutputTag<LoopEvent> EXAMPLES =
            new OutputTag<>("loop-examples", TypeInformation.of(LoopEvent.class));

    /** Events that their loop refused. */
    public static final OutputTag<DeadLetterRecord> DEAD_LETTERS =
            new OutputTag<>("loop-dead-letters", new WireTypeInfo<>(DeadLetterRecord.class));

    public static final OutputTag<DeadLetterRecord> LATE =
            new OutputTag<>("loop-late", new WireTypeInfo<>(DeadLetterRecord.class));

    private static final long serialVersionUID = 1L;

    private final LoopOperatorConfig limits;

    private transient ExampleReader examples;
    private transient ControlReader controls;
    private transient LoopMetrics loopMetrics;
    private transient LoopStates states;
    private transient PendingEvents pending;
    private transient WriteBackCache<LoopSlot> cache;
    private transient LoopEmitter emitter;
    private transient long watermarkMs;

    @SuppressWarnings("NullAway.Init") // Flink calls initializeState() first
    public LoopOperator(LoopOperatorConfig limits) {
        this.limits = limits;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        watermarkMs = Long.MIN_VALUE;
        examples = new ExampleReader();
        controls = new ControlReader();
        loopMetrics = new LoopMetrics(getMetricGroup());
        states = LoopStates.of(context.getKeyedStateStore());
        cache =
                new WriteBackCache<>(
                        limits.cacheBytes(),
                        new StoredLoops(limits, states, this::setCurrentKey, loopMetrics::loaded));
        pending =
                new PendingEvents(
                        context.getKeyedStateStore().getMapState(PendingEvents.descriptor()),
                        this::setCurrentKey);
        emitter = new LoopEmitter(output, loopMetrics);
        restorePending();
        loopMetrics.gauge("pending_bytes", () -> pending.bytes());
        loopMetrics.gauge("cached_bytes", () -> cache.weight());
        loopMetrics.gauge("cached_loops", () -> cache.size());
    }

    private void restorePending() throws Exception {
        List<String> loops;
        try (var keys =
                this.<String>getKeyedStateBackend()
                        .getKeys(PendingEvents.STATE, VoidNamespace.INSTANCE)) {
            loops = keys.distinct().toList();
        }
        pending.restore(loops);
    }

    @Override
    public void processElement(StreamRecord<LoopEvent> element) throws Exception {
        LoopEvent event = element.getValue();
        if (event.timeMs() <= watermarkMs) {
            take(event);
            return;
        }
        pending.add(event);
        if (pending.bytes() > limits.pendingBytes()) {
            pending.moveToState();
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        watermarkMs = mark.getTimestamp();
        for (String loop : pending.loopsDueBy(watermarkMs)) {
            setCurrentKey(loop);
            List<LoopEvent> due = pending.takeDue(loop, watermarkMs);
            while (due != null) {
                for (LoopEvent event : due) {
                    take(event);
                }
                setCurrentKey(loop);
                due = pending.takeDue(loop, watermarkMs);
            }
        }
        super.processWatermark(mark);
    }

    private void take(LoopEvent event) throws Exception {
        LoopSlot slot = cache.get(event.loop());
        setCurrentKey(event.loop()); // the cache may have written another loop
        LoopPosition position = LoopPosition.of(event);
        int order = position.compareTo(slot.position());
        if (order <= 0) {
            late(event, order == 0 ? RefusalReason.DUPLICATE : RefusalReason.LATE);
            return;
        }
        slot.moveTo(position);
        if (event.kind() == LoopEventKind.EXAMPLE) {
            output.collect(EXAMPLES, new StreamRecord<>(event, event.timeMs()));
        }
        try {
            take(event, slot);
        } catch (RefusedEventException e) {
            letter(DEAD_LETTERS, event, e.rule(), String.valueOf(e.getMessage()));
        }
        cache.changed(event.loop());
    }

    private void take(LoopEvent event, LoopSlot slot) throws Exception {
        if (slot.loop().isEmpty()) {
            begin(event, slot);
            return;
        }
        LoadedLoop loop = slot.loop().get();
        switch (event.kind()) {
            case EXAMPLE -> {
                loop.learn(event, examples, emitter);
                loopMetrics.learned();
            }
            case COMMAND -> loop.command(event, controls.command(event), emitter);
            case SPEC -> loop.change(event, controls.spec(event), emitter);
        }
    }

    private void begin(LoopEvent event, LoopSlot slot) throws Exception {
        if (event.kind() != LoopEventKind.SPEC) {
            throw new RefusedEventException(
                    RefusalReason.UNKNOWN_LOOP, "the loop has no spec at this time");
        }
        LoopSpec spec = controls.spec(event);
        slot.start(LoadedLoop.start(spec, limits, states, event, emitter));
        states.refusedUntil().clear();
    }

    private void late(LoopEvent event, RefusalReason rule) {
        letter(
                LATE,
                event,
                rule,
                rule == RefusalReason.DUPLICATE
                        ? "the loop has seen this very event before"
                        : "the loop has seen an event that comes after it");
    }

    private void letter(
            OutputTag<DeadLetterRecord> to, LoopEvent event, RefusalReason rule, String reason) {
        loopMetrics.refused(rule);
        output.collect(
                to,
                new StreamRecord<>(event.raw().toDeadLetter(rule.name(), reason), event.timeMs()));
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        pending.moveToState();
        cache.writeBack();
        super.snapshotState(context);
    }
}
