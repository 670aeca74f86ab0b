package io.counterflow.flink.loop;

import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/** Stands in for the operator of all loops: takes events and says nothing. */
public final class LoopOperator extends AbstractStreamOperator<JudgedExample>
        implements OneInputStreamOperator<LoopEvent, JudgedExample> {

    /** Identity in savepoints. */
    public static final String UID = "loop";

    /** Frozen policies. */
    public static final OutputTag<PolicySnapshotRecord> SNAPSHOTS =
            new OutputTag<>("snapshots", new WireTypeInfo<>(PolicySnapshotRecord.class));

    /** What happened to rollouts. */
    public static final OutputTag<RolloutRecord> ROLLOUTS =
            new OutputTag<>("rollouts", new WireTypeInfo<>(RolloutRecord.class));

    /** What could not be used. */
    public static final OutputTag<DeadLetterRecord> DEAD_LETTERS =
            new OutputTag<>("loop-dead-letters", new WireTypeInfo<>(DeadLetterRecord.class));

    /** What came after its place in the order was taken. */
    public static final OutputTag<DeadLetterRecord> LATE =
            new OutputTag<>("loop-late", new WireTypeInfo<>(DeadLetterRecord.class));

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("UnusedVariable")
    private final LoopOperatorConfig settings;

    public LoopOperator(LoopOperatorConfig config) {
        this.settings = config;
    }

    @Override
    public void processElement(StreamRecord<LoopEvent> element) {}
}
