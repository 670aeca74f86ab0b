package io.counterflow.flink.ingest;

import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.DenseFeatures;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.SparseFeatures;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Rules for impressions of all loops. Rules that need the spec of the loop, such as the number of
 * features or actions, are checked by the loop operator.
 */
public final class ImpressionRules {

    private final IngestLimits limits;
    private final RecordRules rules;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());

    public ImpressionRules(IngestLimits limits) {
        this.limits = limits;
        this.rules = new RecordRules(limits);
    }

    public void check(ImpressionRecord record) throws BrokenRuleException {
        checkPropensity(record.getPropensity());
        rules.checkReward("defaultReward", record.getDefaultReward());
        rules.checkOptionalReward("reward", record.getReward());
        rules.checkOptionalReward("guardrailReward", record.getGuardrailReward());
        rules.checkOptionalReward("guardrailDefaultReward", record.getGuardrailDefaultReward());
        long windowMs = record.getAttributionWindowMs();
        RecordRules.require(
                windowMs >= 0 && windowMs <= limits.maxAttributionWindow().toMillis(),
                IngestRule.WINDOW,
                "attributionWindowMs must be between 0 and",
                limits.maxAttributionWindow().toMillis(),
                windowMs);
        checkVector(record.getFeatures());
        try {
            conversion.fromRecord(record);
        } catch (InvalidJsonException e) {
            throw new BrokenRuleException(IngestRule.FEATURES, messageOf(e));
        } catch (IllegalArgumentException e) {
            throw new BrokenRuleException(IngestRule.INCONSISTENT, messageOf(e));
        }
    }

    private static void checkPropensity(@Nullable Double propensity) throws BrokenRuleException {
        // A log may lack propensities and have them learned; a stream has nobody to learn them.
        RecordRules.require(
                propensity != null && propensity > 0.0 && propensity <= 1.0,
                IngestRule.PROPENSITY,
                "propensity must be in",
                "(0, 1]",
                propensity);
    }

    private static void checkVector(Object features) throws BrokenRuleException {
        if (features instanceof DenseFeatures dense) {
            checkFinite(dense.getValues());
        } else if (features instanceof SparseFeatures sparse) {
            checkFinite(sparse.getValues());
        }
    }

    private static void checkFinite(ByteBuffer packed) throws BrokenRuleException {
        float[] values;
        try {
            values = PackedNumbers.floats("features.values", packed);
        } catch (IllegalArgumentException e) {
            throw new BrokenRuleException(IngestRule.FEATURES, messageOf(e));
        }
        for (int j = 0; j < values.length; j++) {
            if (!Float.isFinite(values[j])) { // the value itself is the user's
                throw new BrokenRuleException(
                        IngestRule.FEATURES, "features.values[" + j + "] must be finite");
            }
        }
    }

    private static String messageOf(IllegalArgumentException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
