package io.counterflow.schemas.wire;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.DenseFeatures;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.NamedFeaturesText;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.SparseFeatures;
import io.counterflow.schemas.record.SplitRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Converts impressions to records and back. Thread safe. */
public final class ImpressionConversion {

    private final JsonLimits limits;
    private final NamedFeaturesJson namedFeatures;

    public ImpressionConversion(JsonLimits limits) {
        this.limits = limits;
        this.namedFeatures = new NamedFeaturesJson(limits);
    }

    public ImpressionRecord toRecord(Impression impression) {
        Choice choice = impression.choice();
        RewardRule rule = impression.rewardRule();
        ImpressionRecord record = new ImpressionRecord();
        record.setEventId(impression.eventId());
        record.setLoop(impression.loop());
        record.setPolicyVersion(impression.policyVersion());
        record.setSpecVersion(impression.specVersion());
        record.setTime(impression.time());
        record.setFeatures(featuresOf(impression.context()));
        record.setActions(actionsOf(impression.context()));
        record.setExcludedActions(excludedBy(choice.allowed()));
        record.setAction(choice.action());
        record.setPropensity(Optionals.orNull(choice.propensity()));
        record.setPropensityKind(PropensityKindRecord.valueOf(choice.propensityKind().name()));
        record.setDistribution(choice.distribution());
        record.setSplit(choice.split().map(ImpressionConversion::splitOf).orElse(null));
        record.setHoldout(choice.holdout());
        record.setPolicyAction(Optionals.orNull(choice.policyAction()));
        record.setAttributionWindowMs(rule.attributionWindow().toMillis());
        record.setDefaultReward(rule.defaultReward());
        record.setRewardAggregation(RewardAggregationRecord.valueOf(rule.aggregation().name()));
        record.setRewardZero(rule.zero());
        record.setDeferred(rule.deferred());
        record.setGuardrailDefaultReward(Optionals.orNull(rule.guardrailDefault()));
        record.setReward(Optionals.orNull(impression.reward()));
        record.setGuardrailReward(Optionals.orNull(impression.guardrailReward()));
        return record;
    }

    private static SplitRecord splitOf(Split split) {
        return new SplitRecord(split.activeVersion(), split.candidateVersion(), split.share());
    }

    private static List<Integer> excludedBy(AllowedActions allowed) {
        return allowed.isAll() ? List.of() : Arrays.stream(allowed.excluded()).boxed().toList();
    }

    private Object featuresOf(Context context) {
        if (context instanceof Context.Named named) {
            return new NamedFeaturesText(NamedFeaturesJson.write(named.features()));
        }
        FeatureVector vector = ((Context.Vector) context).features();
        if (vector instanceof SparseVector sparse) {
            return new SparseFeatures(
                    sparse.dimension(),
                    Arrays.stream(sparse.indices()).boxed().toList(),
                    PackedNumbers.pack(sparse.values()));
        }
        return new DenseFeatures(PackedNumbers.pack(((DenseVector) vector).values()));
    }

    private List<NamedActionRecord> actionsOf(Context context) {
        List<NamedActionRecord> records = new ArrayList<>();
        if (context instanceof Context.Named named) {
            for (NamedAction action : named.actions()) {
                records.add(
                        new NamedActionRecord(
                                action.id(), NamedFeaturesJson.write(action.features())));
            }
        }
        return records;
    }

    /**
     * The impression of a record. If it is invalid, an {@link IllegalArgumentException} names the
     * field.
     */
    public Impression fromRecord(ImpressionRecord record) {
        return new Impression(
                record.getEventId(),
                record.getLoop(),
                record.getPolicyVersion(),
                record.getSpecVersion(),
                record.getTime(),
                contextOf(record),
                choiceOf(record),
                ruleOf(record),
                Optionals.of(record.getReward()),
                Optionals.of(record.getGuardrailReward()));
    }

    private Context contextOf(ImpressionRecord record) {
        Object features = record.getFeatures();
        if (features instanceof NamedFeaturesText text) {
            return new Context.Named(namedFeatures.read(text.getJson()), actionsOf(record));
        }
        Require.that(
                record.getActions().isEmpty(),
                "actions must be absent when context is a vector: a fixed list applies");
        if (features instanceof SparseFeatures sparse) {
            if (sparse.getDimension() < 0) {
                throw new IllegalArgumentException(
                        "features.dimension must be at least 0, got " + sparse.getDimension());
            }
            return new Context.Vector(
                    new SparseVector(
                            sparse.getDimension(),
                            sparse.getIndices().stream().mapToInt(Integer::intValue).toArray(),
                            PackedNumbers.floats("features.values", sparse.getValues())));
        }
        DenseFeatures dense = (DenseFeatures) features;
        return new Context.Vector(
                DenseVector.owning(PackedNumbers.floats("features.values", dense.getValues())));
    }

    private List<NamedAction> actionsOf(ImpressionRecord record) {
        if (record.getActions().size() > limits.maxActions()) {
            throw new IllegalArgumentException(
                    "actions must not be more than %d, got %d"
                            .formatted(limits.maxActions(), record.getActions().size()));
        }
        List<NamedAction> actions = new ArrayList<>();
        for (NamedActionRecord action : record.getActions()) {
            actions.add(new NamedAction(action.getId(), namedFeatures.read(action.getFeatures())));
        }
        return actions;
    }

    private static Choice choiceOf(ImpressionRecord record) {
        return new Choice(
                record.getAction(),
                Optionals.of(record.getPropensity()),
                KnownConstant.of(
                        PropensityKind.class, "propensityKind", record.getPropensityKind()),
                record.getDistribution(),
                AllowedActions.allBut(
                        record.getExcludedActions().stream().mapToInt(Integer::intValue).toArray()),
                Optional.ofNullable(record.getSplit()).map(ImpressionConversion::splitOf),
                record.getHoldout(),
                Optionals.of(record.getPolicyAction()));
    }

    private static Split splitOf(SplitRecord record) {
        return new Split(
                record.getActiveVersion(), record.getCandidateVersion(), record.getShare());
    }

    private static RewardRule ruleOf(ImpressionRecord record) {
        return new RewardRule(
                Duration.ofMillis(record.getAttributionWindowMs()),
                record.getDefaultReward(),
                KnownConstant.of(
                        RewardAggregation.class,
                        "rewardAggregation",
                        record.getRewardAggregation()),
                record.getDeferred(),
                Optionals.of(record.getGuardrailDefaultReward()),
                record.getRewardZero());
    }
}
