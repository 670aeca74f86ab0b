package io.counterflow.flink.loop;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/** The operator of loops in Flink's harness, with Kryo forbidden. */
final class LoopHarness implements AutoCloseable {

    private final MetricListener metrics = new MetricListener();
    private final KeyedOneInputStreamOperatorTestHarness<String, LoopEvent, ScoredExample> harness;

    private LoopHarness(
            LoopOperatorConfig config,
            StateBackend backend,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new LoopOperator(config),
                        LoopEvent::loop,
                        Types.STRING,
                        MeteredEnvironment.with(metrics));
        SerializerConfigImpl serializers =
                (SerializerConfigImpl) harness.getExecutionConfig().getSerializerConfig();
        serializers.setGenericTypes(false);
        harness.setStateBackend(backend);
        harness.setup(TypeInformation.of(ScoredExample.class).createSerializer(serializers));
        if (restored != null) {
            harness.initializeState(restored);
        }
        harness.open();
    }

    static LoopHarness open() throws Exception {
        return open(LoopOperatorConfig.defaults());
    }

    static LoopHarness open(LoopOperatorConfig config) throws Exception {
        return new LoopHarness(config, new HashMapStateBackend(), null);
    }

    static LoopHarness open(
            LoopOperatorConfig config,
            StateBackend backend,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        return new LoopHarness(config, backend, restored);
    }

    void take(LoopEvent event) throws Exception {
        harness.processElement(event, event.timeMs());
    }

    void take(List<LoopEvent> events) throws Exception {
        for (LoopEvent event : events) {
            take(event);
        }
    }

    /** The watermark, in milliseconds after the tests' time zero. */
    void watermark(long ms) throws Exception {
        harness.processWatermark(Feedback.at(ms));
    }

    void end() throws Exception {
        harness.processWatermark(Long.MAX_VALUE);
    }

    OperatorSubtaskState snapshot() throws Exception {
        return harness.snapshot(1L, 1L);
    }

    LoopResults results() {
        return new LoopResults(
                harness.extractOutputValues(),
                side(LoopOperator.SNAPSHOTS),
                side(LoopOperator.ROLLOUTS),
                side(LoopOperator.DEAD_LETTERS),
                side(LoopOperator.LATE));
    }

    /** The log of examples; apart from the results, because bytes in arrays have no equality. */
    List<LoopEvent> examples() {
        return side(LoopOperator.EXAMPLES);
    }

    private <T> List<T> side(OutputTag<T> tag) {
        List<T> values = new ArrayList<>();
        var output = harness.getSideOutput(tag);
        if (output != null) {
            output.forEach(record -> values.add(record.getValue()));
        }
        return values;
    }

    long count(String... name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }

    int stateEntries() {
        return harness.numKeyedStateEntries();
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new IllegalStateException("the harness does not close", e);
        }
    }

    /** All that came out. */
    record LoopResults(
            List<ScoredExample> judged,
            List<PolicySnapshotRecord> snapshots,
            List<RolloutRecord> rollouts,
            List<DeadLetterRecord> deadLetters,
            List<DeadLetterRecord> late) {

        static final LoopResults NONE =
                new LoopResults(List.of(), List.of(), List.of(), List.of(), List.of());

        LoopResults {
            judged = List.copyOf(judged);
            snapshots = List.copyOf(snapshots);
            rollouts = List.copyOf(rollouts);
            deadLetters = List.copyOf(deadLetters);
            late = List.copyOf(late);
        }

        /** What came out here, and then there. */
        LoopResults and(LoopResults then) {
            return new LoopResults(
                    joined(judged, then.judged),
                    joined(snapshots, then.snapshots),
                    joined(rollouts, then.rollouts),
                    joined(deadLetters, then.deadLetters),
                    joined(late, then.late));
        }

        private static <T> List<T> joined(List<T> first, List<T> then) {
            List<T> all = new ArrayList<>(first);
            all.addAll(then);
            return all;
        }

        /** What came of one loop. */
        LoopResults of(String loop) {
            return new LoopResults(
                    judged.stream().filter(it -> it.loop().equals(loop)).toList(),
                    snapshots.stream().filter(it -> it.getLoop().equals(loop)).toList(),
                    rollouts.stream().filter(it -> it.getLoop().equals(loop)).toList(),
                    List.of(),
                    List.of());
        }

        List<String> kinds() {
            return rollouts.stream().map(it -> it.getKind().name()).toList();
        }
    }
}
