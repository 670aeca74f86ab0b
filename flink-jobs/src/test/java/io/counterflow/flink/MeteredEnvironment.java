package io.counterflow.flink;

import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups.UnregisteredOperatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups.UnregisteredTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.jspecify.annotations.Nullable;

/** An operator harness's environment in which a listener has the operator's counters and gauges. */
public final class MeteredEnvironment {

    private MeteredEnvironment() {}

    public static MockEnvironment with(MetricListener listener) {
        return with(listener, 1, 1, 0);
    }

    /** The environment of one of several subtasks. */
    public static MockEnvironment with(
            MetricListener listener, int maxParallelism, int parallelism, int subtask) {
        return MockEnvironment.builder()
                .setMetricGroup(new ListenedTask(listener))
                .setMaxParallelism(maxParallelism)
                .setParallelism(parallelism)
                .setSubtaskIndex(subtask)
                .build();
    }

    private static final class ListenedTask extends UnregisteredTaskMetricGroup {
        private final MetricListener listener;

        ListenedTask(MetricListener listener) {
            this.listener = listener;
        }

        @Override
        public InternalOperatorMetricGroup getOrAddOperator(
                OperatorID id, String name, Map<String, String> variables) {
            return new ListenedOperator(listener);
        }
    }

    private static final class ListenedOperator extends UnregisteredOperatorMetricGroup {
        private final @Nullable MetricListener listener; // null while the superclass counts itself

        ListenedOperator(MetricListener listener) {
            this.listener = listener;
        }

        @Override
        public Counter counter(String name) {
            return listener == null ? super.counter(name) : listener.getMetricGroup().counter(name);
        }

        @Override
        public <C extends Counter> C counter(String name, C counter) {
            return listener == null
                    ? super.counter(name, counter)
                    : listener.getMetricGroup().counter(name, counter);
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            return listener == null
                    ? super.gauge(name, gauge)
                    : listener.getMetricGroup().gauge(name, gauge);
        }

        @Override
        public MetricGroup addGroup(String key, String value) {
            return listener == null
                    ? super.addGroup(key, value)
                    : listener.getMetricGroup().addGroup(key, value);
        }
    }
}
