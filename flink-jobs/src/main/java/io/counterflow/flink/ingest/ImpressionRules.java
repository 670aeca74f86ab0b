package io.counterflow.flink.ingest;

import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.DenseFeatures;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.SparseFeatures;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What records must be, whatever their loop. What needs the loop's spec, such as the number of
 * features or actions, is checked where the spec is.
 */
final class FeedbackRules {

    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");

    private final IngestLimits limits;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());

    FeedbackRules(IngestLimits limits) {
        this.limits = limits;
    }

    void checkSize(byte[] value) throws BrokenRuleException {
        require(
                value.length <= limits.maxRecordBytes(),
                IngestRule.TOO_LARGE,
                "value must not be larger than",
                limits.maxRecordBytes() + " bytes",
                value.length);
    }

    void checkName(String field, String name) throws BrokenRuleException {
        require(
                !name.isEmpty() && name.length() <= limits.maxNameLength(),
                IngestRule.NAME,
                field + " must have between 1 and",
                limits.maxNameLength() + " characters",
                name.length());
    }

    void checkTime(Instant time, long kafkaTimestampMs) throws BrokenRuleException {
        require(
                kafkaTimestampMs >= 0,
                IngestRule.TIME,
                "Kafka's timestamp must be",
                "there",
                kafkaTimestampMs);
        require(
                !time.isBefore(EARLIEST),
                IngestRule.TIME,
                "time must not be before",
                EARLIEST,
                time);
        Instant latest = Instant.ofEpochMilli(kafkaTimestampMs).plus(limits.maxClockSkew());
        require(!time.isAfter(latest), IngestRule.TIME, "time must not be after", latest, time);
    }

    void checkReward(String field, double value) throws BrokenRuleException {
        require(
                value >= 0.0 && value <= 1.0,
                IngestRule.REWARD,
                field + " must be in",
                "[0, 1]",
                value);
    }

    void checkImpression(ImpressionRecord record) throws BrokenRuleException {
        checkPropensity(record.getPropensity());
        checkReward("defaultReward", record.getDefaultReward());
        Double reward = record.getReward();
        if (reward != null) {
            checkReward("reward", reward);
        }
        long windowMs = record.getAttributionWindowMs();
        require(
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
        require(
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

    private static void require(
            boolean holds, IngestRule rule, String must, Object bound, @Nullable Object got)
            throws BrokenRuleException {
        if (!holds) {
            throw new BrokenRuleException(rule, must + " " + bound + ", got " + got);
        }
    }
}
