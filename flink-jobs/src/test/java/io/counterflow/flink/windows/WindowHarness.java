package io.counterflow.flink.windows;

import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** The windows in Flink's operator harness, with Kryo forbidden. */
final class WindowHarness implements AutoCloseable {

    static final int MAX_PARALLELISM = 8;

    private final MetricListener metrics = new MetricListener();
    private final KeyedOneInputStreamOperatorTestHarness<String, ScoredExample, IpsWindowRecord>
            harness;

    /** With metrics, as the only subtask. */
    private WindowHarness(IpsWindowsConfig config) throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new IpsWindows(config),
                        ScoredExample::loop,
                        Types.STRING,
                        MeteredEnvironment.with(metrics));
    }

    /** Without metrics, as one of several subtasks. */
    private WindowHarness(IpsWindowsConfig config, int parallelism, int subtask) throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new IpsWindows(config),
                        ScoredExample::loop,
                        Types.STRING,
                        MAX_PARALLELISM,
                        parallelism,
                        subtask);
    }

    private WindowHarness start(StateBackend backend, @Nullable OperatorSubtaskState restored)
            throws Exception {
        ((SerializerConfigImpl) harness.getExecutionConfig().getSerializerConfig())
                .setGenericTypes(false);
        harness.setStateBackend(backend);
        harness.setup(
                new WireTypeInfo<>(IpsWindowRecord.class)
                        .createSerializer(harness.getExecutionConfig().getSerializerConfig()));
        if (restored != null) {
            harness.initializeState(restored);
        }
        harness.open();
        return this;
    }

    static IpsWindowsConfig config(long sizeMs, long slideMs) {
        return config(sizeMs, slideMs, 1L << 20);
    }

    static IpsWindowsConfig config(long sizeMs, long slideMs, long cacheBytes) {
        return new IpsWindowsConfig(
                new WindowConfig(Duration.ofMillis(sizeMs), Duration.ofMillis(slideMs)),
                cacheBytes,
                2);
    }

    static WindowHarness open(IpsWindowsConfig config) throws Exception {
        return open(config, new HashMapStateBackend(), null);
    }

    static WindowHarness open(
            IpsWindowsConfig config, StateBackend backend, @Nullable OperatorSubtaskState restored)
            throws Exception {
        return new WindowHarness(config).start(backend, restored);
    }

    /** One of several subtasks, with its part of a snapshot of one subtask or of several. */
    static WindowHarness openSubtask(
            IpsWindowsConfig config,
            int parallelism,
            int subtask,
            @Nullable OperatorSubtaskState whole,
            int parallelismBefore)
            throws Exception {
        return new WindowHarness(config, parallelism, subtask)
                .start(
                        new HashMapStateBackend(),
                        whole == null
                                ? null
                                : AbstractStreamOperatorTestHarness.repartitionOperatorState(
                                        whole,
                                        MAX_PARALLELISM,
                                        parallelismBefore,
                                        parallelism,
                                        subtask));
    }

    void take(Judged... examples) throws Exception {
        for (Judged example : examples) {
            take(example.example());
        }
    }

    void take(ScoredExample example) throws Exception {
        harness.processElement(example, Math.floorDiv(example.timeMicros(), 1_000L));
    }

    void watermark(long ms) throws Exception {
        harness.processWatermark(ms);
    }

    OperatorSubtaskState snapshot() throws Exception {
        return harness.snapshot(1L, 1L);
    }

    List<IpsWindowRecord> windows() {
        return harness.extractOutputValues();
    }

    /** All that came out, watermarks included, in order. */
    List<Object> output() {
        return List.copyOf(harness.getOutput());
    }

    /** Timestamps of the windows, as the next operator sees them. */
    List<Long> timestamps() {
        return harness.getRecordOutput().stream().map(StreamRecord::getTimestamp).toList();
    }

    long count(String name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }

    /** A gauge's value, by the labels before its name; null where there is none. */
    @Nullable Object gauge(String... name) {
        return metrics.getGauge(name).map(Gauge::getValue).orElse(null);
    }

    int stateEntries() {
        return harness.numKeyedStateEntries();
    }

    int timers() {
        return harness.numEventTimeTimers();
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new IllegalStateException("the operator did not close", e);
        }
    }
}
