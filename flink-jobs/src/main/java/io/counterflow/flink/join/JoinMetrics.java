package io.counterflow.flink.join;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counters of the join. They are registered at startup, so that they show zero before the first
 * event.
 */
final class JoinMetrics {

    private final MetricGroup group;
    private final Counter joined;
    private final Counter duplicates;
    private final Counter notActivated;
    private final Counter retracted;
    private final Map<LateReason, Counter> late = new EnumMap<>(LateReason.class);

    JoinMetrics(MetricGroup group) {
        this.group = group;
        joined = group.counter("joined");
        duplicates = group.counter("duplicates");
        notActivated = group.counter("not_activated");
        retracted = group.counter("retracted");
        for (LateReason reason : LateReason.values()) {
            late.put(reason, group.addGroup("reason", reason.name()).counter("late"));
        }
    }

    void gauge(String name, LongSupplier value) {
        group.<Long, Gauge<Long>>gauge(name, value::getAsLong);
    }

    void joined() {
        joined.inc();
    }

    void duplicate() {
        duplicates.inc();
    }

    void notActivated() {
        notActivated.inc();
    }

    void retracted() {
        retracted.inc();
    }

    void late(LateReason reason) {
        Objects.requireNonNull(late.get(reason)).inc();
    }
}
