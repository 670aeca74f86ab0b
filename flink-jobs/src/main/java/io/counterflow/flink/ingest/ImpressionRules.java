package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.wire.ImpressionHead;

/**
 * Rules for the heads of impressions. The rest, such as features and propensity, is checked by the
 * loop operator where it is decoded.
 */
final class ImpressionRules {

    private final IngestLimits limits;
    private final RecordRules rules;

    ImpressionRules(IngestLimits limits) {
        this.limits = limits;
        this.rules = new RecordRules(limits);
    }

    void check(ImpressionHead head) throws BrokenRuleException {
        rules.checkReward("defaultReward", head.defaultReward());
        rules.checkReward("rewardZero", head.rewardZero());
        rules.checkOptionalReward("reward", head.reward());
        rules.checkOptionalReward("guardrailReward", head.guardrailReward());
        rules.checkOptionalReward("guardrailDefaultReward", head.guardrailDefaultReward());
        long windowMs = head.attributionWindowMs();
        RecordRules.require(
                windowMs >= 0 && windowMs <= limits.maxAttributionWindow().toMillis(),
                IngestRule.WINDOW,
                "attributionWindowMs must be between 0 and",
                limits.maxAttributionWindow().toMillis(),
                windowMs);
        if (head.rewardAggregation() == RewardAggregationRecord.UNKNOWN) {
            throw new BrokenRuleException(
                    IngestRule.INCONSISTENT,
                    "rewardAggregation must be a known one, got one of a later version");
        }
    }
}
