package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;

/** Understands impressions, or rewards and activations. */
public final class FeedbackDecoder extends RecordDecoder<FeedbackEvent> {

    private final FeedbackTopic topic;
    private final ImpressionRules impressionRules;
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
    private final WireCodec<ActivationRecord> activations = WireCodec.of(ActivationRecord.class);

    public FeedbackDecoder(FeedbackTopic topic, IngestLimits limits) {
        super(limits);
        this.topic = topic;
        this.impressionRules = new ImpressionRules(limits);
    }

    @Override
    protected FeedbackEvent event(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        return switch (topic) {
            case IMPRESSIONS -> impression(raw, value);
            case REWARDS ->
                    activations.accepts(value) ? activation(raw, value) : reward(raw, value);
        };
    }

    private FeedbackEvent impression(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        ImpressionRecord record = impressions.decode(value);
        check(record.getLoop(), record.getEventId(), record.getTime(), raw);
        impressionRules.check(record);
        boolean prejoined = record.getReward() != null;
        return new FeedbackEvent(
                FeedbackKind.IMPRESSION,
                record.getLoop(),
                record.getEventId(),
                micros(record.getTime()),
                prejoined ? 0 : record.getAttributionWindowMs(),
                prejoined,
                raw);
    }

    private FeedbackEvent reward(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        RewardRecord record = rewards.decode(value);
        rules().checkName("rewardId", record.getRewardId());
        rules().checkReward("value", record.getValue());
        return feedback(
                FeedbackKind.REWARD, record.getLoop(), record.getEventId(), record.getTime(), raw);
    }

    private FeedbackEvent activation(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        ActivationRecord record = activations.decode(value);
        return feedback(
                FeedbackKind.ACTIVATION,
                record.getLoop(),
                record.getEventId(),
                record.getTime(),
                raw);
    }

    private FeedbackEvent feedback(
            FeedbackKind kind, String loop, String eventId, Instant time, RawRecord raw)
            throws BrokenRuleException {
        check(loop, eventId, time, raw);
        return new FeedbackEvent(kind, loop, eventId, micros(time), 0, false, raw);
    }

    private void check(String loop, String eventId, Instant time, RawRecord raw)
            throws BrokenRuleException {
        rules().checkLoop(loop);
        rules().checkName("eventId", eventId);
        rules().checkTime(time, raw.timestampMs());
    }
}
