package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.state.WriteBackCache;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.WindowPaneRecord;
import java.util.List;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Computes estimates over sliding windows of event time, for each loop and logging policy version.
 *
 * <p>Keyed by loop. An example is added to its pane on the heap and does not access state; panes
 * are written at checkpoints. A window is the merge of its panes in time order, so its bytes depend
 * only on the examples of the loop and their order. Its record is emitted before the watermark that
 * ends it. Windows without examples have no record. Each loop with open panes has a timer at the
 * end of its next window; Flink restores and rescales timers with the state. After the last window
 * of a loop its state and timer are removed.
 *
 * <p>Examples arrive in order from the loop operator. An example that arrives after its first
 * window has ended is counted and skipped.
 */
public final class IpsWindows extends AbstractStreamOperator<IpsWindowRecord>
        implements OneInputStreamOperator<ScoredExample, IpsWindowRecord>,
                Triggerable<String, VoidNamespace> {

    /** Identity in savepoints. If it is renamed, open windows are lost. */
    public static final String UID = "ips-windows";

    private static final long serialVersionUID = 1L;

    private static final String PANES_STATE = "panes";
    private static final String TIMERS = "window-ends";

    private final IpsWindowsConfig windowsConfig;
    private final long sizeMs;
    private final long slideMs;

    private transient InternalTimerService<VoidNamespace> timers;
    private transient PaneStore store;
    private transient WriteBackCache<LoopPanes> cache;
    private transient WindowMetrics windowMetrics;

    @SuppressWarnings("NullAway.Init") // Flink calls open() first
    public IpsWindows(IpsWindowsConfig config) {
        this.windowsConfig = config;
        this.sizeMs = config.windows().size().toMillis();
        this.slideMs = config.windows().slide().toMillis();
    }

    @Override
    public void open() throws Exception {
        super.open();
        timers = getInternalTimerService(TIMERS, VoidNamespaceSerializer.INSTANCE, this);
        store =
                new PaneStore(
                        this::setCurrentKey,
                        getRuntimeContext()
                                .getMapState(
                                        new MapStateDescriptor<>(
                                                PANES_STATE,
                                                Types.LONG,
                                                new WireTypeInfo<>(WindowPaneRecord.class))));
        cache = new WriteBackCache<>(windowsConfig.cacheBytes(), store);
        windowMetrics = new WindowMetrics(getMetricGroup(), windowsConfig.meteredLoops(), cache);
    }

    @Override
    public void processElement(StreamRecord<ScoredExample> element) throws Exception {
        ScoredExample example = element.getValue();
        long startMs = Math.floorDiv(example.timeMicros(), slideMs * 1_000L) * slideMs;
        if (timerMs(startMs + slideMs) <= timers.currentWatermark()) {
            windowMetrics.late();
            return;
        }
        LoopPanes panes = cache.get(example.loop());
        if (panes.open(startMs)) {
            endAt(startMs + slideMs, example.loop());
        }
        if (!panes.add(example)) {
            windowMetrics.unwatched();
        }
        windowMetrics.audited(example.audit());
        cache.changed(example.loop());
    }

    /** Emits the windows that the watermark ends. */
    private static long timerMs(long endMs) {
        return endMs - 1;
    }

    private void endAt(long endMs, String loop) {
        setCurrentKey(loop); // the cache may have written other loops
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, timerMs(endMs));
    }

    @Override
    public void onEventTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        String loop = timer.getKey();
        long endMs = timer.getTimestamp() + 1;
        long startMs = endMs - sizeMs;
        LoopPanes panes = cache.get(loop);
        List<IpsWindowRecord> versions =
                IpsWindowRecords.of(loop, startMs, endMs, panes.window(startMs, endMs));
        for (IpsWindowRecord version : versions) {
            output.collect(new StreamRecord<>(version, timer.getTimestamp()));
        }
        windowMetrics.ended(loop, versions);
        List<Long> written = panes.forgetThrough(startMs); // this was the last window with it
        store.remove(loop, written, panes.isEmpty());
        if (panes.isEmpty()) {
            cache.forget(loop);
        } else {
            endAt(Math.max(endMs, panes.firstStartMs()) + slideMs, loop);
            cache.changed(loop);
        }
    }

    @Override
    public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) {
        throw new IllegalStateException("windows end by event time alone");
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        cache.writeBack();
        super.snapshotState(context);
    }
}
