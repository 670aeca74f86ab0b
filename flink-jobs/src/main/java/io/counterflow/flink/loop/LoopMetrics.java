package io.counterflow.flink.loop;

import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.flink.event.RefusalReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** Metrics of the loops of one subtask. They are registered at startup and show zero at first. */
final class LoopMetrics {

    private final MetricGroup group;
    private final Counter learned;
    private final Counter snapshots;
    private final Counter loads;
    private final Map<RefusalReason, Counter> refused = new EnumMap<>(RefusalReason.class);
    private final Map<RolloutChange.Kind, Counter> changes =
            new EnumMap<>(RolloutChange.Kind.class);
    private long newestSnapshotMs;

    LoopMetrics(MetricGroup group) {
        this.group = group;
        learned = group.counter("learned");
        snapshots = group.counter("snapshots");
        loads = group.counter("cold_loads");
        for (RefusalReason rule : RefusalReason.values()) {
            refused.put(rule, group.addGroup("rule", rule.name()).counter("refused"));
        }
        for (RolloutChange.Kind kind : RolloutChange.Kind.values()) {
            changes.put(kind, group.addGroup("kind", kind.name()).counter("rollouts"));
        }
        gauge("newest_snapshot_time_milliseconds", () -> newestSnapshotMs);
    }

    void gauge(String name, LongSupplier value) {
        Gauge<Long> gauge = value::getAsLong;
        group.gauge(name, gauge);
    }

    void learned() {
        learned.inc();
    }

    void loaded() {
        loads.inc();
    }

    void snapshot(long eventTimeMs) {
        snapshots.inc();
        newestSnapshotMs = Math.max(newestSnapshotMs, eventTimeMs);
    }

    void refused(RefusalReason rule) {
        Objects.requireNonNull(refused.get(rule)).inc();
    }

    void changed(RolloutChange.Kind kind) {
        Objects.requireNonNull(changes.get(kind)).inc();
    }
}
