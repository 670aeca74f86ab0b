package io.counterflow.benchmarks.loop;

import io.counterflow.flink.loop.LoopEmitter;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;

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
