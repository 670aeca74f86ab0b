package io.counterflow.flink.join;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.Outcome;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.ImpressionHead;
import io.counterflow.schemas.wire.ImpressionHeadReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decodes feedback events and creates examples. Not thread-safe. */
final class JoinRecords {

    private final ImpressionHeadReader heads = new ImpressionHeadReader();
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);

    ImpressionHead head(FeedbackEvent impression) {
        try {
            return heads.read(bytes(impression));
        } catch (UndecodableRecordException e) {
            throw undecodable(impression, e);
        }
    }

    /** The reward of an event; null for an activation. */
    @Nullable TimedReward reward(FeedbackEvent event) {
        if (event.kind() != FeedbackKind.REWARD) {
            return null;
        }
        try {
            RewardRecord record = rewards.decode(bytes(event));
            return new TimedReward(
                    record.getRewardId(),
                    event.timeMicros(),
                    record.getValue(),
                    RewardMetric.valueOf(record.getMetric().name()));
        } catch (UndecodableRecordException e) {
            throw undecodable(event, e);
        }
    }

    /**
     * Whether two impressions of an event differ in nothing but their time. One whose bytes cannot
     * be read beyond the head is the same as no other.
     */
    boolean isSameAnswer(FeedbackEvent one, FeedbackEvent other) {
        try {
            ImpressionRecord first = impressions.decode(bytes(one));
            ImpressionRecord second = impressions.decode(bytes(other));
            second.setTime(first.getTime());
            return first.equals(second);
        } catch (UndecodableRecordException e) {
            return false;
        }
    }

    static byte[] bytes(FeedbackEvent event) {
        return Objects.requireNonNull(event.raw().value());
    }

    private static IllegalStateException undecodable(
            FeedbackEvent event, UndecodableRecordException cause) {
        return new IllegalStateException(
                "%s, partition %d, offset %d was let in but does not decode"
                        .formatted(
                                event.raw().topic(), event.raw().partition(), event.raw().offset()),
                cause);
    }

    /** The example of an impression, as an event of its loop. */
    static LoopEvent example(FeedbackEvent impression, AttributionWindow window, Outcome outcome) {
        return new LoopEvent(
                LoopEventKind.EXAMPLE,
                impression.loop(),
                window.endMicros(),
                impression.eventId(),
                0L,
                outcome,
                impression.raw());
    }

    /** The rewards of an impression whose window has closed, from feedback of both metrics. */
    static Outcome joined(ImpressionHead impression, List<TimedReward> feedback) {
        RewardAggregation aggregation =
                RewardAggregation.valueOf(impression.rewardAggregation().name());
        List<TimedReward> rewards = of(RewardMetric.REWARD, feedback);
        Double guardrailDefault = impression.guardrailDefaultReward(); // null without guardrail
        return new Outcome(
                RewardRuleEvaluation.evaluate(
                        aggregation, impression.defaultReward(), impression.rewardZero(), rewards),
                guardrailDefault == null
                        ? null
                        : RewardRuleEvaluation.evaluate(
                                aggregation,
                                guardrailDefault,
                                0.0,
                                of(RewardMetric.GUARDRAIL, feedback)),
                rewards.isEmpty() ? RewardOriginRecord.DEFAULTED : RewardOriginRecord.OBSERVED,
                rewards.size());
    }

    private static List<TimedReward> of(RewardMetric metric, List<TimedReward> feedback) {
        return feedback.isEmpty()
                ? feedback
                : feedback.stream().filter(reward -> reward.metric() == metric).toList();
    }

    static Outcome prejoined(ImpressionHead impression) {
        Double guardrail = impression.guardrailReward();
        return new Outcome(
                Objects.requireNonNull(impression.reward()),
                guardrail == null ? impression.guardrailDefaultReward() : guardrail,
                RewardOriginRecord.PREJOINED,
                0);
    }
}
