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
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecordBase;

/** Decodes feedback events and creates examples. Not thread-safe. */
final class JoinRecords {

    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);

    ImpressionRecord impression(FeedbackEvent event) {
        return decode(impressions, event);
    }

    TimedReward reward(FeedbackEvent event) {
        RewardRecord record = decode(rewards, event);
        return new TimedReward(
                record.getRewardId(),
                event.timeMicros(),
                record.getValue(),
                RewardMetric.valueOf(record.getMetric().name()));
    }

    /** The identity of feedback; duplicates have the same one. */
    String identity(FeedbackEvent event) {
        if (event.kind() != FeedbackKind.REWARD) {
            return "activation " + event.timeMicros();
        }
        TimedReward reward = reward(event);
        return reward.metric() == RewardMetric.REWARD
                ? "reward " + reward.rewardId()
                : "guardrail " + reward.rewardId();
    }

    private static <T extends SpecificRecordBase> T decode(
            WireCodec<T> codec, FeedbackEvent event) {
        try {
            return codec.decode(Objects.requireNonNull(event.raw().value()));
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException(
                    "%s, partition %d, offset %d was let in but does not decode"
                            .formatted(
                                    event.raw().topic(),
                                    event.raw().partition(),
                                    event.raw().offset()),
                    e);
        }
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
    static Outcome joined(ImpressionRecord impression, Collection<TimedReward> feedback) {
        RewardAggregation aggregation =
                RewardAggregation.valueOf(impression.getRewardAggregation().name());
        List<TimedReward> rewards = of(RewardMetric.REWARD, feedback);
        Double guardrailDefault = impression.getGuardrailDefaultReward(); // null without guardrail
        return new Outcome(
                RewardRuleEvaluation.evaluate(aggregation, impression.getDefaultReward(), rewards),
                guardrailDefault == null
                        ? null
                        : RewardRuleEvaluation.evaluate(
                                aggregation,
                                guardrailDefault,
                                of(RewardMetric.GUARDRAIL, feedback)),
                rewards.isEmpty() ? RewardOriginRecord.DEFAULTED : RewardOriginRecord.OBSERVED,
                rewards.size());
    }

    private static List<TimedReward> of(RewardMetric metric, Collection<TimedReward> feedback) {
        return feedback.stream().filter(reward -> reward.metric() == metric).toList();
    }

    static Outcome prejoined(ImpressionRecord impression) {
        Double guardrail = impression.getGuardrailReward();
        return new Outcome(
                impression.getReward(),
                guardrail == null ? impression.getGuardrailDefaultReward() : guardrail,
                RewardOriginRecord.PREJOINED,
                0);
    }
}
