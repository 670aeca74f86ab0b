package io.counterflow.flink;

import io.counterflow.schemas.record.DenseShape;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicyKindRecord;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.UnloggedDecisionRecord;
import java.time.Instant;
import java.util.List;

/** Specs and commands for tests; by hand, because Avro's builders want to be trusted by a flag. */
public final class Specs {

    private Specs() {}

    /** A loop of two actions and two features that is learned from but never rolled out. */
    public static LoopSpecRecord spec(String loop, long version, Instant time) {
        LoopSpecRecord spec = new LoopSpecRecord();
        spec.setLoop(loop);
        spec.setVersion(version);
        spec.setTime(time);
        spec.setShape(new DenseShape(List.of("a", "b"), 2));
        spec.setPolicy(PolicyKindRecord.SOFTMAX);
        spec.setPropensityKind(PropensityKindRecord.EXACT);
        spec.setInverseTemperature(1.0);
        spec.setObjective("ips-lpr");
        spec.setLambda(1e-6);
        spec.setTau(0.01);
        spec.setDelta(0.05);
        spec.setPriorVariance(1.0);
        spec.setLearningRate(0.1);
        spec.setAdaGradSmoothing(1.0);
        spec.setBatchSize(10);
        spec.setBufferLimit(1_000);
        spec.setSeed(1);
        spec.setSnapshotExamples(100);
        spec.setRewardAggregation(RewardAggregationRecord.FIRST);
        spec.setDistributionLimit(100);
        spec.setRolloutMode(RolloutModeRecord.MANUAL);
        spec.setCanaryShare(1.0);
        spec.setUnloggedDecision(UnloggedDecisionRecord.REFUSE);
        return spec;
    }

    public static RolloutCommandRecord command(String id, String loop, Instant time) {
        return new RolloutCommandRecord(
                id, loop, time, RolloutActionRecord.PAUSE, null, null, "tester", "because");
    }
}
