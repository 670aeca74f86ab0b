package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Understands the records of one topic, whatever their bytes: the answer is an event, a heartbeat
 * or a refusal, never an exception. Belongs to one thread at a time.
 */
public final class FeedbackDecoder {

    private final FeedbackTopic topic;
    private final FeedbackRules rules;
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
    private final WireCodec<ActivationRecord> activations = WireCodec.of(ActivationRecord.class);
    private final WireCodec<HeartbeatRecord> heartbeats = WireCodec.of(HeartbeatRecord.class);

    public FeedbackDecoder(FeedbackTopic topic, IngestLimits limits) {
        this.topic = topic;
        this.rules = new FeedbackRules(limits);
    }

    /** What the record says. */
    public Ingested decode(RawRecord raw) {
        try {
            byte[] value = raw.value();
            if (value == null) {
                throw new BrokenRuleException(IngestRule.EMPTY, "value must be there, got none");
            }
            rules.checkSize(value);
            return decode(raw, value);
        } catch (BrokenRuleException e) {
            return Ingested.refusal(new Refusal(raw, e.rule(), String.valueOf(e.getMessage())));
        } catch (UndecodableRecordException e) {
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.of(e.reason()), String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            // A hole in our own rules: still one record, not the job. Its message may quote values.
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.INCONSISTENT, e.getClass().getSimpleName()));
        }
    }

    private Ingested decode(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        if (heartbeats.accepts(value)) {
            Instant time = heartbeats.decode(value).getTime();
            rules.checkTime(time, raw.timestampMs());
            return Ingested.heartbeat(micros(time), raw);
        }
        return Ingested.event(
                switch (topic) {
                    case IMPRESSIONS -> impression(raw, value);
                    case REWARDS ->
                            activations.accepts(value)
                                    ? activation(raw, value)
                                    : reward(raw, value);
                });
    }

    private FeedbackEvent impression(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        ImpressionRecord record = impressions.decode(value);
        FeedbackEvent event =
                event(
                        FeedbackKind.IMPRESSION,
                        record.getLoop(),
                        record.getEventId(),
                        record.getTime(),
                        raw);
        rules.checkImpression(record);
        return event;
    }

    private FeedbackEvent reward(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        RewardRecord record = rewards.decode(value);
        rules.checkName("rewardId", record.getRewardId());
        rules.checkReward("value", record.getValue());
        return event(
                FeedbackKind.REWARD, record.getLoop(), record.getEventId(), record.getTime(), raw);
    }

    private FeedbackEvent activation(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        ActivationRecord record = activations.decode(value);
        return event(
                FeedbackKind.ACTIVATION,
                record.getLoop(),
                record.getEventId(),
                record.getTime(),
                raw);
    }

    private FeedbackEvent event(
            FeedbackKind kind, String loop, String eventId, Instant time, RawRecord raw)
            throws BrokenRuleException {
        rules.checkName("loop", loop);
        rules.checkName("eventId", eventId);
        rules.checkTime(time, raw.timestampMs());
        return new FeedbackEvent(kind, loop, eventId, micros(time), raw);
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
