package io.counterflow.flink.join;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** The join in Flink's operator harness, with Kryo forbidden. */
final class JoinHarness implements AutoCloseable {

    /** How long feedback waits for its impression. */
    static final Duration IMPRESSION_WAIT = Duration.ofMillis(500);

    /** Most feedback of one decision. */
    static final int MAX_FEEDBACK = 6;

    /** Keeps all impressions on the heap. */
    static final JoinConfig CONFIG = new JoinConfig(IMPRESSION_WAIT, MAX_FEEDBACK, 1 << 20);

    /** Keeps almost no impression on the heap. */
    static final JoinConfig SMALL = new JoinConfig(IMPRESSION_WAIT, MAX_FEEDBACK, 1_000);

    private static final int MAX_PARALLELISM = 8;
    private static final Buckets BUCKETS = new Buckets(MAX_PARALLELISM);

    private final MetricListener metrics = new MetricListener();
    private final KeyedOneInputStreamOperatorTestHarness<Integer, FeedbackEvent, LoopEvent> harness;
    private final RewardJoin operator;

    private JoinHarness(
            Subtask subtask,
            JoinConfig config,
            StateBackend backend,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        operator = new RewardJoin(config, BUCKETS, new Topics("test"));
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator,
                        BUCKETS,
                        Types.INT,
                        MeteredEnvironment.with(
                                metrics, MAX_PARALLELISM, subtask.parallelism(), subtask.index()));
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
        return open(CONFIG, backend);
    }

    static JoinHarness open(JoinConfig config, StateBackend backend) throws Exception {
        return new JoinHarness(Subtask.ONLY, config, backend, null);
    }

    static JoinHarness restore(StateBackend backend, OperatorSubtaskState state) throws Exception {
        return restore(CONFIG, backend, state);
    }

    static JoinHarness restore(JoinConfig config, StateBackend backend, OperatorSubtaskState state)
            throws Exception {
        return new JoinHarness(Subtask.ONLY, config, backend, state);
    }

    /** One subtask of several, with the state of all subtasks before. */
    static JoinHarness restore(
            Subtask subtask, StateBackend backend, Subtask before, OperatorSubtaskState state)
            throws Exception {
        return new JoinHarness(
                subtask,
                CONFIG,
                backend,
                KeyedOneInputStreamOperatorTestHarness.repartitionOperatorState(
                        state,
                        MAX_PARALLELISM,
                        before.parallelism(),
                        subtask.parallelism(),
                        subtask.index()));
    }

    /** The position of an operator among those that run in parallel. */
    record Subtask(int index, int parallelism) {
        static final Subtask ONLY = new Subtask(0, 1);

        /** Whether it takes an event. */
        boolean takes(FeedbackEvent event) {
            return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                            BUCKETS.getKey(event), MAX_PARALLELISM, parallelism)
                    == index;
        }
    }

    void take(ImpressionRecord record) throws Exception {
        take(Feedback.event(record));
    }

    void take(RetractionRecord record) throws Exception {
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

    /** The watermark, in milliseconds after the tests' time zero, and all that it closes. */
    void watermark(long ms) throws Exception {
        startWatermark(ms);
        while (closeMore()) {
            // until everything is closed
        }
    }

    /** The watermark and the first of what it closes. The rest is in the mailbox. */
    void startWatermark(long ms) throws Exception {
        harness.processWatermark(Feedback.at(ms));
    }

    /** Runs the next mail; false if there is none. */
    boolean closeMore() throws Exception {
        Optional<Mail> mail = harness.getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        if (mail.isPresent()) {
            mail.get().run();
        }
        return mail.isPresent();
    }

    /** The last watermark of a job that is stopped with {@code --drain}, and its end. */
    void drain() throws Exception {
        harness.processWatermark(Long.MAX_VALUE);
        harness.endInput();
        operator.finish();
    }

    /** The watermarks that the next operator gets, in milliseconds after time zero. */
    List<Long> watermarks() {
        return harness.getOutput().stream()
                .filter(Watermark.class::isInstance)
                .map(it -> ((Watermark) it).getTimestamp() - Feedback.at(0))
                .toList();
    }

    /** All sources are idle. */
    void idle() throws Exception {
        harness.processWatermarkStatus(WatermarkStatus.IDLE);
    }

    /** Whether the next operator was told that this one is idle. */
    boolean hasForwardedIdleness() {
        return harness.getOutput().contains(WatermarkStatus.IDLE);
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

    /** Takes a barrier, and returns what was counted since the one before. */
    List<LoopCountsRecord> counts() throws Exception {
        operator.prepareSnapshotPreBarrier(1L);
        WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
        List<LoopCountsRecord> counts = new ArrayList<>();
        var output = harness.getSideOutput(RewardJoin.COUNTS);
        if (output != null) {
            for (StreamRecord<OutgoingRecord> record : output) {
                counts.add(codec.decode(Objects.requireNonNull(record.getValue().value())));
            }
            output.clear();
        }
        return counts;
    }

    List<String> lateReasons() {
        return late().stream().map(DeadLetterRecord::getRule).toList();
    }

    /** A counter's value, by the labels before its name. */
    long count(String... name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }

    /** Bytes of impressions on the heap. */
    long heapBytes() {
        return operator.log().heapBytes();
    }

    /** Bytes written to the state so far. */
    long storedBytes() {
        return operator.log().storedBytes();
    }

    /** Bytes read from the state so far. */
    long readBytes() {
        return operator.log().readBytes();
    }

    /** Decisions on the heap, and buckets with something in the state. */
    long waiting() {
        return operator.waitingDecisions()
                + bucketsIn(WaitingLog.STATE)
                + bucketsIn(EarlyFeedback.STATE)
                + operator.log().heapBytes();
    }

    private long bucketsIn(String state) {
        try (var buckets =
                operator.<Integer>getKeyedStateBackend().getKeys(state, VoidNamespace.INSTANCE)) {
            return buckets.count();
        }
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
