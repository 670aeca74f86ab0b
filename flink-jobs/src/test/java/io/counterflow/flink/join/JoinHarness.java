package io.counterflow.flink.join;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** The join in Flink's operator harness, with Kryo forbidden. */
final class JoinHarness implements AutoCloseable {

    /** How long feedback waits for its impression. */
    static final Duration IMPRESSION_WAIT = Duration.ofMillis(500);

    /** Most feedback of one decision. */
    static final int MAX_FEEDBACK = 6;

    private final MetricListener metrics = new MetricListener();
    private final KeyedOneInputStreamOperatorTestHarness<String, FeedbackEvent, LoopEvent> harness;

    private JoinHarness(StateBackend backend, @Nullable OperatorSubtaskState restored)
            throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(
                                new RewardJoin(new JoinConfig(IMPRESSION_WAIT, MAX_FEEDBACK))),
                        FeedbackEvent::key,
                        Types.STRING,
                        MeteredEnvironment.with(metrics));
        ((SerializerConfigImpl) harness.getExecutionConfig().getSerializerConfig())
                .setGenericTypes(false);
        harness.setStateBackend(backend);
        harness.setup(
                TypeInformation.of(LoopEvent.class)
                        .createSerializer(harness.getExecutionConfig().getSerializerConfig()));
        if (restored != null) {
            harness.initializeState(restored);
        }
        harness.open();
    }

    static JoinHarness open(StateBackend backend) throws Exception {
        return new JoinHarness(backend, null);
    }

    static JoinHarness restore(StateBackend backend, OperatorSubtaskState state) throws Exception {
        return new JoinHarness(backend, state);
    }

    void take(ImpressionRecord record) throws Exception {
        take(Feedback.event(record));
    }

    void take(RewardRecord record) throws Exception {
        take(Feedback.event(record));
    }

    void take(ActivationRecord record) throws Exception {
        take(Feedback.event(record));
    }

    void take(FeedbackEvent event) throws Exception {
        harness.processElement(event, Math.floorDiv(event.timeMicros(), 1_000L));
    }

    /** The watermark, in milliseconds after the tests' time zero. */
    void watermark(long ms) throws Exception {
        harness.processWatermark(Feedback.at(ms));
    }

    OperatorSubtaskState snapshot() throws Exception {
        return harness.snapshot(1L, 1L);
    }

    /** What goes to the operator of all loops. */
    List<LoopEvent> events() {
        return harness.extractOutputValues();
    }

    List<JoinedExample> examples() throws Exception {
        List<JoinedExample> examples = new ArrayList<>();
        for (LoopEvent event : events()) {
            examples.add(JoinedExample.of(event));
        }
        return examples;
    }

    /** Timestamps of the examples, as the next operator sees them. */
    List<Long> timestamps() {
        return harness.getRecordOutput().stream().map(StreamRecord::getTimestamp).toList();
    }

    List<DeadLetterRecord> late() {
        List<DeadLetterRecord> letters = new ArrayList<>();
        var output = harness.getSideOutput(RewardJoin.LATE);
        if (output != null) {
            output.forEach(letter -> letters.add(letter.getValue()));
        }
        return letters;
    }

    List<String> lateReasons() {
        return late().stream().map(DeadLetterRecord::getRule).toList();
    }

    /** A counter's value, by the labels before its name. */
    long count(String... name) {
        return metrics.getCounter(name).orElseThrow().getCount();
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
