package io.counterflow.schemas.wire;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.LearningRule;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.RolloutRule;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicyKindRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.UnloggedDecisionRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.avro.Schema;

/** From loop specs to their records and back. */
public final class LoopSpecConversion {

    private static final RecordModel MODEL =
            new RecordModel(LoopSpecRecord.class, LoopSpecRecord.getClassSchema());
    private static final int SHOWN = 40;

    private LoopSpecConversion() {}

    /** A spec with the schema's defaults for all but the shape. */
    public static LoopSpec withDefaults(String loop, long version, Instant time, LoopShape shape) {
        LoopSpecRecord record = defaults();
        record.setLoop(loop);
        record.setVersion(version);
        record.setTime(time);
        record.setShape(toRecord(shape));
        return fromRecord(record);
    }

    /**
     * A record that says what the schema does for all that has a default, and nothing else.
     *
     * <p>Not by Avro's builder: it looks for classes in a way that needs a flag of the JVM.
     */
    public static LoopSpecRecord defaults() {
        LoopSpecRecord record = new LoopSpecRecord();
        for (Schema.Field field : LoopSpecRecord.getClassSchema().getFields()) {
            if (field.hasDefaultValue()) {
                record.put(field.pos(), MODEL.getDefaultValue(field));
            }
        }
        return record;
    }

    /** The record of a shape, one of the branches of the schema's union. */
    public static Object toRecord(LoopShape shape) {
        return ShapeConversion.toRecord(shape);
    }

    /** The record of a spec. */
    public static LoopSpecRecord toRecord(LoopSpec spec) {
        LoopSpecRecord record = new LoopSpecRecord();
        record.setLoop(spec.loop());
        record.setVersion(spec.version());
        record.setTime(spec.time());
        record.setShape(toRecord(spec.shape()));
        record.setNormBound(Optionals.orNull(spec.normBound()));
        spec.startingPolicy()
                .ifPresent(it -> record.setStartingPolicy(SnapshotConversion.toRecord(it)));
        put(spec.decisions(), record);
        put(spec.learning(), record);
        RewardRule rewards = spec.rewardRule();
        record.setAttributionWindowMs(rewards.attributionWindow().toMillis());
        record.setDefaultReward(rewards.defaultReward());
        record.setRewardAggregation(RewardAggregationRecord.valueOf(rewards.aggregation().name()));
        RolloutRule rollout = spec.rollout();
        record.setRolloutMode(RolloutModeRecord.valueOf(rollout.mode().name()));
        record.setCanaryShare(rollout.canaryShare());
        record.setCandidateExamples(rollout.candidateExamples());
        record.setAutomaticRollback(rollout.automaticRollback());
        return record;
    }

    private static void put(DecisionRule rule, LoopSpecRecord record) {
        record.setPolicy(PolicyKindRecord.valueOf(rule.policy().name()));
        record.setPropensityKind(PropensityKindRecord.valueOf(rule.propensityKind().name()));
        record.setPropensityDraws(rule.propensityDraws());
        record.setInverseTemperature(rule.inverseTemperature());
        record.setExplorationFloor(rule.explorationFloor());
        record.setVariance(Optionals.orNull(rule.variance()));
        record.setDistributionLimit(rule.distributionLimit());
        record.setUnloggedDecision(UnloggedDecisionRecord.valueOf(rule.unloggedDecision().name()));
    }

    private static void put(LearningRule rule, LoopSpecRecord record) {
        LearningRule.Loss loss = rule.objective();
        record.setObjective(loss.kind().label());
        record.setLambda(loss.lambda());
        record.setVarianceLambda(loss.varianceLambda());
        record.setTau(loss.tau());
        record.setSmoothing(Optionals.orNull(loss.smoothing()));
        record.setDelta(rule.delta());
        record.setPriorVariance(rule.priorVariance());
        record.setLearningRate(rule.optimizer().learningRate());
        record.setAdaGradSmoothing(rule.optimizer().adaGradSmoothing());
        record.setBatchSize(rule.batches().batchSize());
        record.setReplay(rule.batches().replay());
        record.setBufferLimit(rule.batches().bufferLimit());
        record.setSeed(rule.batches().seed());
        record.setSnapshotExamples(rule.snapshots().snapshotExamples());
        record.setSnapshotIntervalMs(rule.snapshots().snapshotInterval().toMillis());
    }

    /**
     * The spec of a record. What is wrong with it is an {@link IllegalArgumentException} whose
     * message names the field.
     */
    public static LoopSpec fromRecord(LoopSpecRecord record) {
        return new LoopSpec(
                record.getLoop(),
                record.getVersion(),
                record.getTime(),
                ShapeConversion.fromRecord(record.getShape()),
                Optionals.of(record.getNormBound()),
                decisionsOf(record),
                Optional.ofNullable(record.getStartingPolicy())
                        .map(LoopSpecConversion::startingPolicy),
                learningOf(record),
                new RewardRule(
                        Duration.ofMillis(record.getAttributionWindowMs()),
                        record.getDefaultReward(),
                        KnownConstant.of(
                                RewardAggregation.class,
                                "rewardAggregation",
                                record.getRewardAggregation()),
                        false),
                new RolloutRule(
                        KnownConstant.of(RolloutMode.class, "rolloutMode", record.getRolloutMode()),
                        record.getCanaryShare(),
                        record.getCandidateExamples(),
                        record.getAutomaticRollback()));
    }

    private static DecisionRule decisionsOf(LoopSpecRecord record) {
        return new DecisionRule(
                KnownConstant.of(DecisionRule.Kind.class, "policy", record.getPolicy()),
                KnownConstant.of(
                        PropensityKind.class, "propensityKind", record.getPropensityKind()),
                record.getPropensityDraws(),
                Optionals.of(record.getVariance()),
                record.getInverseTemperature(),
                record.getExplorationFloor(),
                record.getDistributionLimit(),
                KnownConstant.of(
                        DecisionRule.UnloggedDecision.class,
                        "unloggedDecision",
                        record.getUnloggedDecision()));
    }

    private static LearningRule learningOf(LoopSpecRecord record) {
        String objective = record.getObjective();
        return new LearningRule(
                new LearningRule.Loss(
                        StreamObjective.Kind.named(
                                objective.substring(0, Math.min(SHOWN, objective.length()))),
                        record.getLambda(),
                        record.getVarianceLambda(),
                        record.getTau(),
                        Optionals.of(record.getSmoothing())),
                new LearningRule.Optimizer(record.getLearningRate(), record.getAdaGradSmoothing()),
                new LearningRule.Batches(
                        record.getBatchSize(),
                        record.getReplay(),
                        record.getBufferLimit(),
                        record.getSeed()),
                new LearningRule.Snapshots(
                        record.getSnapshotExamples(),
                        Duration.ofMillis(record.getSnapshotIntervalMs())),
                record.getDelta(),
                record.getPriorVariance());
    }

    private static PolicySnapshot startingPolicy(PolicySnapshotRecord record) {
        if (record.getPointer() != null) {
            throw new IllegalArgumentException(
                    "startingPolicy must carry its weights, got a pointer to where they are");
        }
        try {
            return SnapshotConversion.fromRecord(record);
        } catch (InvalidSnapshotException e) {
            throw new IllegalArgumentException("startingPolicy is invalid: " + e.getMessage(), e);
        }
    }

    /** SHA-256 of the wire form of the same spec as version 1 of 1970; lower-case hexadecimal. */
    public static String digest(LoopSpec spec) {
        LoopSpecRecord record = toRecord(spec);
        record.setVersion(1);
        record.setTime(Instant.EPOCH);
        byte[] bytes = WireCodec.of(LoopSpecRecord.class).encode(record);
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
