package io.counterflow.flink.histories;

import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * One subtask of an operator with its input: the real operator in Flink's harness, with the state
 * backend, snapshots and restores of a job.
 */
abstract class Subtask<K, I, O, P extends AbstractStreamOperator<O> & OneInputStreamOperator<I, O>>
        implements Inbox.Receiver {

    /** One for all, because starting it takes as long as starting an operator. */
    private static final IOManager DISK = new IOManagerAsync();

    /** Number of key groups. */
    static final int MAX_PARALLELISM = 4;

    /** The state of all subtasks of an operator. */
    record Stored(OperatorSubtaskState state, int parallelism) {
        static Stored of(OperatorSubtaskState[] subtasks) throws Exception {
            return new Stored(
                    KeyedOneInputStreamOperatorTestHarness.repackageState(subtasks),
                    subtasks.length);
        }
    }

    private final int index;
    private final KeyGroupRange keyGroups;
    private final P operator;
    private final KeyedOneInputStreamOperatorTestHarness<K, I, O> harness;
    private final Inbox inbox;

    Subtask(
            int index,
            int parallelism,
            int senders,
            P operator,
            KeySelector<I, K> key,
            TypeInformation<K> keyType)
            throws Exception {
        this.index = index;
        this.operator = operator;
        this.inbox = new Inbox(senders);
        this.keyGroups =
                KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                        MAX_PARALLELISM, parallelism, index);
        MockEnvironment environment =
                MockEnvironment.builder()
                        .setMaxParallelism(MAX_PARALLELISM)
                        .setParallelism(parallelism)
                        .setSubtaskIndex(index)
                        .setIOManager(DISK)
                        .build();
        this.harness =
                new KeyedOneInputStreamOperatorTestHarness<>(operator, key, keyType, environment);
    }

    /** Starts the operator, with its part of a stored state. */
    void start(
            StateBackend backend,
            Class<O> outputType,
            long nowMs,
            int parallelism,
            @Nullable Stored stored)
            throws Exception {
        SerializerConfigImpl serializers =
                (SerializerConfigImpl) harness.getExecutionConfig().getSerializerConfig();
        serializers.setGenericTypes(false); // no Kryo
        harness.setStateBackend(backend);
        harness.setProcessingTime(nowMs);
        harness.setOutputCreator(serializer -> new Receiving());
        harness.setup(TypeInformation.of(outputType).createSerializer(serializers));
        if (stored != null) {
            harness.initializeState(
                    KeyedOneInputStreamOperatorTestHarness.repartitionOperatorState(
                            stored.state(),
                            MAX_PARALLELISM,
                            stored.parallelism(),
                            parallelism,
                            index));
        }
        harness.open();
    }

    /** What the operator emits. */
    private final class Receiving implements Output<StreamRecord<O>> {
        @Override
        public void collect(StreamRecord<O> record) {
            emitted(record.getValue(), record.hasTimestamp() ? record.getTimestamp() : 0L);
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
            emittedAside(record.getValue());
        }

        @Override
        public void emitWatermark(Watermark mark) {
            emittedWatermark(mark.getTimestamp());
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            // No operator depends on it.
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            // There are none.
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            // There are none.
        }

        @Override
        public void emitWatermark(WatermarkEvent event) {
            // There are none.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    abstract void emitted(O value, long timestampMs);

    abstract void emittedAside(Object value);

    abstract void emittedWatermark(long ms);

    int index() {
        return index;
    }

    KeyGroupRange keyGroups() {
        return keyGroups;
    }

    P operator() {
        return operator;
    }

    Inbox inbox() {
        return inbox;
    }

    boolean isReady() {
        return inbox.isReady();
    }

    void deliver(SplittableRandom random) throws Exception {
        inbox.deliver(random, this);
    }

    /** Runs the next mail; false if there is none. */
    boolean runMail() throws Exception {
        Optional<Mail> mail = harness.getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        if (mail.isPresent()) {
            mail.get().run();
        }
        return mail.isPresent();
    }

    void process(I value, long timestampMs) throws Exception {
        harness.processElement(value, timestampMs);
    }

    @Override
    public void watermark(long ms) throws Exception {
        harness.processWatermark(ms);
    }

    OperatorSubtaskState snapshot(long checkpoint) throws Exception {
        return harness.snapshot(checkpoint, checkpoint);
    }

    void processingTime(long ms) throws Exception {
        harness.setProcessingTime(ms);
    }

    /** Number of keys and names of state with a value. Only on the heap. */
    int stateEntries() {
        return harness.numKeyedStateEntries();
    }

    void finish(boolean drain) throws Exception {
        if (drain) {
            harness.endInput();
        }
        operator.finish();
    }

    void completed(long checkpoint) throws Exception {
        harness.notifyOfCompletedCheckpoint(checkpoint);
    }

    void close() throws Exception {
        harness.close();
    }
}
