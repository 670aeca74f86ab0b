package io.counterflow.flink.state;

import io.counterflow.flink.types.RecordMapState;
import io.counterflow.flink.types.RecordState;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.record.RewardModelStateRecord;
import io.counterflow.schemas.record.VersionParametersRecord;
import org.apache.flink.api.common.state.KeyedStateStore;

/**
 * The keyed state of a loop, in parts that are written when they have changed.
 *
 * @param loop what every event changes; empty until the loop starts
 * @param specs its specs
 * @param learned what a step of LPR changes
 * @param rewardModel its reward model; empty without one
 * @param quarantine why the loop takes no events; empty if it does
 * @param versions parameters of its versions
 * @param blocks the blocks of its example buffer
 * @param openExamples the examples after the last block
 */
public record LoopStates(
        RecordState<LoopStateRecord> loop,
        RecordState<LoopSpecsRecord> specs,
        RecordState<LearnedStateRecord> learned,
        RecordState<RewardModelStateRecord> rewardModel,
        RecordState<QuarantineRecord> quarantine,
        RecordMapState<VersionParametersRecord> versions,
        StoredBlocks blocks,
        StoredBlocks openExamples) {

    /** Name of the state of loops that have started. */
    public static final String LOOP = "loop";

    /** Name of the state of quarantined loops. */
    public static final String QUARANTINE = "quarantine";

    public static LoopStates of(KeyedStateStore store) {
        return new LoopStates(
                new RecordState<>(store, LOOP, LoopStateRecord.class),
                new RecordState<>(store, "specs", LoopSpecsRecord.class),
                new RecordState<>(store, "learned", LearnedStateRecord.class),
                new RecordState<>(store, "reward-model", RewardModelStateRecord.class),
                new RecordState<>(store, QUARANTINE, QuarantineRecord.class),
                new RecordMapState<>(store, "versions", VersionParametersRecord.class),
                new StoredBlocks(store, "example-blocks"),
                new StoredBlocks(store, "open-examples"));
    }

    /** Removes the state of a loop. */
    public void clear() {
        loop.clear();
        specs.clear();
        learned.clear();
        rewardModel.clear();
        quarantine.clear();
        versions.clear();
        blocks.clear();
        openExamples.clear();
    }
}
