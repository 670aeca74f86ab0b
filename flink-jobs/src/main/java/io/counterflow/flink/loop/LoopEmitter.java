package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;

/** Where what comes out of loops goes, each with the event that it came from. */
public interface LoopEmitter {

    void judged(ScoredExample example, LoopEvent event);

    void snapshot(PolicySnapshotRecord snapshot, LoopEvent event);

    void rollout(RolloutRecord rollout, LoopEvent event);
}
