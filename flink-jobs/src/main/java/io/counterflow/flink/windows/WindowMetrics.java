package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counters of windows, and gauges of the newest window of each loop. Only the first loops have
 * gauges, because each one adds time series to the metrics system; all loops are on the topic.
 */
public final class WindowMetrics {

    private final MetricGroup group;
    private final int meteredLoops;
    private final Map<String, LoopGauges> gauges = new HashMap<>();
    private final Counter windows;
    private final Counter unwatched;
    private final Counter audited;
    private final Counter auditMismatches;

    public WindowMetrics(MetricGroup group, int meteredLoops) {
        this.group = group;
        this.meteredLoops = meteredLoops;
        windows = group.counter("windows");
        unwatched = group.counter("unwatched_examples");
        audited = group.counter("audited_examples");
        auditMismatches = group.counter("audit_mismatches");
    }

    /** Counts an example whose pane has too many versions. */
    public void unwatched() {
        unwatched.inc();
    }

    public void audited(Audit audit) {
        if (audit != Audit.NOT_DONE) {
            audited.inc();
        }
        if (audit == Audit.MISMATCH) {
            auditMismatches.inc();
        }
    }

    /**
     * Called when a window of a loop ends, with a record for each version that logged examples in
     * it.
     */
    public void ended(String loop, List<IpsWindowRecord> versions) {
        windows.inc(versions.size());
        LoopGauges own = gauges.get(loop);
        if (own == null && gauges.size() < meteredLoops) {
            own = new LoopGauges(group.addGroup("loop", loop));
            gauges.put(loop, own);
        }
        if (own != null) {
            own.ended(versions);
        }
    }
}
