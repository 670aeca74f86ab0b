package io.counterflow.flink.join;

import io.counterflow.core.log.RewardMetric;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Joins an impression with its rewards and emits the example when the attribution window ends. It
 * does not emit earlier: early rewards must not be learned before missing ones.
 *
 * <p>Keyed by {@link FeedbackEvent#key}. The examples depend only on event times, unless records
 * arrive after the watermark. A record that arrives after its window, or without an impression,
 * goes to {@link #LATE}. The state of an impression and its feedback is removed when the window
 * closes. A later duplicate has the same time, so it is after its window and late; therefore no ids
 * are kept.
 */
public final class RewardJoin extends KeyedProcessFunction<String, FeedbackEvent, LoopEvent>
        implements CheckpointedFunction {

    /** Identity in savepoints. Renaming it loses all waiting feedback. */
    public static final String UID = "reward-join";

    /** Records that were not joined, with the reason. */
    public static final OutputTag<DeadLetterRecord> LATE =
            new OutputTag<>("late", new WireTypeInfo<>(DeadLetterRecord.class));

    private static final long serialVersionUID = 1L;

    private static final String WINDOW_STATE = "window";
    private static final String IMPRESSION_STATE = "impression";

    private final JoinConfig config;
    private final long impressionWaitMicros;

    @SuppressWarnings("NullAway.Init") // Flink restores before it opens
    private transient ReachedWatermark watermark;

    private transient JoinRecords records;
    private transient JoinMetrics metrics;
    private transient ValueState<AttributionWindow> window; // empty until the impression arrives
    private transient ValueState<FeedbackEvent> impression; // also empty for a prejoined impression
    private transient WaitingFeedback feedback;

    public RewardJoin(JoinConfig config) {
        this.config = config;
        this.impressionWaitMicros = Math.multiplyExact(config.impressionWait().toMillis(), 1_000L);
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        watermark = new ReachedWatermark(context.getOperatorStateStore());
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        watermark.snapshot();
    }

    @Override
    public void open(OpenContext context) {
        records = new JoinRecords();
        metrics = new JoinMetrics(getRuntimeContext().getMetricGroup());
        window =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        WINDOW_STATE, TypeInformation.of(AttributionWindow.class)));
        impression =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        IMPRESSION_STATE, TypeInformation.of(FeedbackEvent.class)));
        feedback = new WaitingFeedback(getRuntimeContext());
    }

    @Override
    public void processElement(FeedbackEvent event, Context context, Collector<LoopEvent> out)
            throws Exception {
        if (event.kind() == FeedbackKind.IMPRESSION) {
            takeImpression(event, context, out);
        } else {
            takeFeedback(event, context);
        }
    }

    private void takeImpression(FeedbackEvent event, Context context, Collector<LoopEvent> out)
            throws Exception {
        AttributionWindow own = AttributionWindow.of(event);
        if (own.closesAtMs() <= watermarkMs(context)) {
            late(event, LateReason.IMPRESSION_AFTER_ITS_WINDOW, context);
            return;
        }
        if (window.value() != null) {
            takeCopy(event, context);
            return;
        }
        window.update(own);
        context.timerService().registerEventTimeTimer(own.closesAtMs());
        if (own.prejoined()) {
            emit(
                    JoinRecords.example(
                            event, own, JoinRecords.prejoined(records.impression(event))),
                    out);
        } else {
            impression.update(event);
        }
        adoptFeedback(own, context);
    }

    private void takeCopy(FeedbackEvent event, Context context) throws Exception {
        FeedbackEvent first = impression.value();
        if (first == null || Arrays.equals(first.raw().value(), event.raw().value())) {
            metrics.duplicate();
        } else {
            late(event, LateReason.CONFLICTING_IMPRESSION, context);
        }
    }

    /** Moves feedback that arrived before its impression to the end of the window. */
    private void adoptFeedback(AttributionWindow own, Context context) throws Exception {
        feedback.removeIf(
                event -> {
                    forgetOrphanTimer(event, own, context.timerService());
                    Optional<LateReason> refused =
                            own.refuses(event.timeMicros(), impressionWaitMicros);
                    refused.ifPresent(reason -> late(event, reason, context));
                    return refused.isPresent();
                });
    }

    private void forgetOrphanTimer(
            FeedbackEvent event, AttributionWindow own, TimerService timers) {
        long orphanedAtMs = orphanedAtMs(event);
        if (orphanedAtMs != own.closesAtMs()) { // one timer serves both
            timers.deleteEventTimeTimer(orphanedAtMs);
        }
    }

    private long orphanedAtMs(FeedbackEvent event) {
        return AttributionWindow.toMs(event.timeMicros() + impressionWaitMicros);
    }

    private void takeFeedback(FeedbackEvent event, Context context) throws Exception {
        AttributionWindow open = window.value(); // null until the impression arrives
        Optional<LateReason> refused =
                open == null
                        ? orphaned(event, context)
                        : open.refuses(event.timeMicros(), impressionWaitMicros);
        if (refused.isPresent()) {
            late(event, refused.get(), context);
            return;
        }
        String identity = records.identity(event);
        FeedbackEvent first = feedback.get(identity);
        if (first == null) {
            takeNew(identity, event, open == null, context);
        } else {
            metrics.duplicate();
            if (precedes(event, first)) {
                feedback.replace(identity, event);
                waitForImpression(event, open == null, context);
            }
        }
    }

    private void takeNew(String identity, FeedbackEvent event, boolean early, Context context)
            throws Exception {
        if (feedback.count() >= config.maxFeedback()) {
            late(event, LateReason.TOO_MUCH_FEEDBACK, context);
            return;
        }
        feedback.add(identity, event);
        waitForImpression(event, early, context);
    }

    private void waitForImpression(FeedbackEvent event, boolean early, Context context) {
        if (early) {
            context.timerService().registerEventTimeTimer(orphanedAtMs(event));
        }
    }

    private Optional<LateReason> orphaned(FeedbackEvent event, Context context) {
        return orphanedAtMs(event) <= watermarkMs(context)
                ? Optional.of(LateReason.ORPHANED)
                : Optional.empty();
    }

    private long watermarkMs(Context context) {
        return watermark.at(context.timerService().currentWatermark());
    }

    /** If two rewards have the same id, the earlier one counts, in any order of arrival. */
    private boolean precedes(FeedbackEvent event, FeedbackEvent first) {
        return event.kind() == FeedbackKind.REWARD
                && TimedReward.IN_ORDER.compare(records.reward(event), records.reward(first)) < 0;
    }

    @Override
    public void onTimer(long timestampMs, OnTimerContext context, Collector<LoopEvent> out)
            throws Exception {
        watermarkMs(context); // keeps the window closed after a restart
        AttributionWindow open = window.value(); // null until the impression arrives
        if (open == null) {
            giveUpOn(timestampMs, context);
        } else if (timestampMs >= open.closesAtMs()) {
            if (!open.prejoined()) {
                close(open, context, out);
            }
            window.clear();
            impression.clear();
            feedback.clear();
        }
    }

    private void giveUpOn(long timestampMs, Context context) throws Exception {
        feedback.removeIf(
                event -> {
                    boolean orphaned = orphanedAtMs(event) <= timestampMs;
                    if (orphaned) {
                        late(event, LateReason.ORPHANED, context);
                    }
                    return orphaned;
                });
    }

    private void close(AttributionWindow open, Context context, Collector<LoopEvent> out)
            throws Exception {
        FeedbackEvent shown = impression.value();
        ImpressionRecord record = records.impression(shown);
        boolean activated = !record.getDeferred();
        boolean guarded = record.getGuardrailDefaultReward() != null;
        List<FeedbackEvent> rewards = new ArrayList<>();
        for (FeedbackEvent event : feedback.values()) {
            if (event.kind() != FeedbackKind.REWARD) {
                activated = true;
            } else if (guarded || records.reward(event).metric() == RewardMetric.REWARD) {
                rewards.add(event);
            } else {
                late(event, LateReason.NO_GUARDRAIL, context);
            }
        }
        if (activated) {
            emit(
                    JoinRecords.example(
                            shown,
                            open,
                            JoinRecords.joined(
                                    record, rewards.stream().map(records::reward).toList())),
                    out);
            return;
        }
        metrics.notActivated();
        for (FeedbackEvent reward : rewards) {
            late(reward, LateReason.NOT_ACTIVATED, context);
        }
    }

    private void emit(LoopEvent example, Collector<LoopEvent> out) {
        out.collect(example);
        metrics.joined();
    }

    private void late(FeedbackEvent event, LateReason reason, Context context) {
        metrics.late(reason);
        context.output(LATE, event.raw().toDeadLetter(reason.name(), reason.words()));
    }
}
