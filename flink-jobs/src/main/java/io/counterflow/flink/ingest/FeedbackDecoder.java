package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.ImpressionHead;
import io.counterflow.schemas.wire.ImpressionHeadReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Decodes impressions, retractions, rewards and activations. */
public final class FeedbackDecoder {

    private final RecordRules rules;
    private final ImpressionRules impressionRules;
    private final ImpressionHeadReader heads = new ImpressionHeadReader();
    private final WireCodec<RetractionRecord> retractions = WireCodec.of(RetractionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
    private final WireCodec<ActivationRecord> activations = WireCodec.of(ActivationRecord.class);

    private FeedbackDecoder(IngestLimits limits) {
        this.rules = new RecordRules(limits);
        this.impressionRules = new ImpressionRules(limits);
    }

    /** A decoder of the topic {@code impressions}. */
    public static RecordDecoder<FeedbackEvent> ofImpressions(IngestLimits limits) {
        return new RecordDecoder<>(limits, new FeedbackDecoder(limits)::impressionOrRetraction);
    }

    /**
     * A decoder of the topic {@code rewards}. It refuses impressions: a producer that may only
     * write rewards must not be able to add decisions.
     */
    public static RecordDecoder<FeedbackEvent> ofRewards(IngestLimits limits) {
        return new RecordDecoder<>(limits, new FeedbackDecoder(limits)::rewardOrActivation);
    }

    private FeedbackEvent impressionOrRetraction(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        if (!retractions.accepts(value)) {
            return impression(raw, value);
        }
        RetractionRecord retraction = retractions.decode(value);
        return feedback(
                FeedbackKind.RETRACTION,
                retraction.getLoop(),
                retraction.getEventId(),
                retraction.getDecisionTime(),
                raw);
    }

    /** Checks the head alone. The loop checks the rest when it decodes the example. */
    private FeedbackEvent impression(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        ImpressionHead head = heads.read(value);
        check(
                head.loop(),
                head.eventId(),
                Instant.EPOCH.plus(head.timeMicros(), ChronoUnit.MICROS),
                raw);
        impressionRules.check(head);
        boolean prejoined = head.reward() != null;
        return new FeedbackEvent(
                FeedbackKind.IMPRESSION,
                head.loop(),
                head.eventId(),
                head.timeMicros(),
                prejoined ? 0 : head.attributionWindowMs(),
                prejoined,
                raw);
    }

    private FeedbackEvent rewardOrActivation(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        if (activations.accepts(value)) {
            ActivationRecord activation = activations.decode(value);
            return feedback(
                    FeedbackKind.ACTIVATION,
                    activation.getLoop(),
                    activation.getEventId(),
                    activation.getTime(),
                    raw);
        }
        RewardRecord reward = rewards.decode(value);
        rules.checkName("rewardId", reward.getRewardId());
        rules.checkReward("value", reward.getValue());
        if (reward.getMetric() == RewardMetricRecord.UNKNOWN) {
            throw new BrokenRuleException(
                    IngestRule.INCONSISTENT, "metric must be REWARD or GUARDRAIL, got another one");
        }
        return feedback(
                FeedbackKind.REWARD, reward.getLoop(), reward.getEventId(), reward.getTime(), raw);
    }

    private FeedbackEvent feedback(
            FeedbackKind kind, String loop, String eventId, Instant time, RawRecord raw)
            throws BrokenRuleException {
        check(loop, eventId, time, raw);
        return new FeedbackEvent(kind, loop, eventId, RecordDecoder.micros(time), 0, false, raw);
    }

    private void check(String loop, String eventId, Instant time, RawRecord raw)
            throws BrokenRuleException {
        rules.checkLoop(loop);
        rules.checkName("eventId", eventId);
        rules.checkTime(time, raw.timestampMs());
    }
}
