package io.counterflow.flink.loop;

import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Passes on judged examples, and drops what comes once in thousands of them. */
record DroppedOutput(Output<StreamRecord<ScoredExample>> output) implements LoopEmitter {

    @Override
    public void judged(ScoredExample example, LoopEvent event) {
        output.collect(new StreamRecord<>(example, event.timeMs()));
    }

    @Override
    public void snapshot(PolicySnapshotRecord snapshot, LoopEvent event) {}

    @Override
    public void rollout(RolloutRecord rollout, LoopEvent event) {}
}
