package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoggedExampleRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Joins an impression with its rewards and emits the example when the attribution window ends, not
 * sooner: a quick reward must not be learned from before a missing one.
 *
 * <p>Keyed by {@link FeedbackEvent#key}. Which examples come out depends on event times alone, as
 * long as nothing arrives after the watermark. What arrives after its window, or without an
 * impression, goes to {@link #LATE}. An impression and its feedback leave the state when the window
 * closes. A copy that comes later has the same time, so it is past its window and late; that is why
 * no ids need to be remembered.
 */
public final class RewardJoin
        extends KeyedProcessFunction<String, FeedbackEvent, LoggedExampleRecord>
        implements CheckpointedFunction {

    /** Identity in savepoints. Renaming it loses all that waits. */
    public static final String UID = "reward-join";

    /** What was not joined, with the reason. */
    public static final OutputTag<DeadLetterRecord> LATE =
            new OutputTag<>("late", new WireTypeInfo<>(DeadLetterRecord.class));

    private static final long serialVersionUID = 1L;

    private static final String WINDOW_STATE = "window";
    private static final String IMPRESSION_STATE = "impression";
    private static final String FEEDBACK_STATE = "feedback";

    private final long impressionWaitMicros;

    @SuppressWarnings("NullAway.Init") // Flink restores before it opens
    private transient ReachedWatermark watermark;

    private transient JoinRecords records;
    private transient JoinMetrics metrics;
    private transient ValueState<AttributionWindow> window; // empty until the impression is here
    private transient ValueState<FeedbackEvent> impression; // empty as well if it was prejoined
    private transient MapState<String, FeedbackEvent> feedback;

    /**
     * @param impressionWait how long feedback waits for an impression that comes after it, in event
     *     time; also how much earlier than its impression feedback may have happened, because
     *     clocks differ
     */
    public RewardJoin(Duration impressionWait) {
        if (impressionWait.isNegative()) {
            throw new IllegalArgumentException(
                    "impressionWait must not be negative, got " + impressionWait);
        }
        this.impressionWaitMicros = Math.multiplyExact(impressionWait.toMillis(), 1_000L);
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
        TypeInformation<FeedbackEvent> event = TypeInformation.of(FeedbackEvent.class);
        window =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        WINDOW_STATE, TypeInformation.of(AttributionWindow.class)));
        impression =
                getRuntimeContext().getState(new ValueStateDescriptor<>(IMPRESSION_STATE, event));
        feedback =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>(FEEDBACK_STATE, Types.STRING, event));
    }

    @Override
    public void processElement(
            FeedbackEvent event, Context context, Collector<LoggedExampleRecord> out)
            throws Exception {
        if (event.kind() == FeedbackKind.IMPRESSION) {
            takeImpression(event, context, out);
        } else {
            takeFeedback(event, context);
        }
    }

    private void takeImpression(
            FeedbackEvent event, Context context, Collector<LoggedExampleRecord> out)
            throws Exception {
        ImpressionRecord record = records.impression(event);
        AttributionWindow own = AttributionWindow.of(record);
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
            out.collect(JoinRecords.prejoined(record, own));
            metrics.joined();
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

    /** Feedback that was here before the impression now waits for the window's end instead. */
    private void adoptFeedback(AttributionWindow own, Context context) throws Exception {
        Iterator<Map.Entry<String, FeedbackEvent>> waiting = feedback.iterator();
        while (waiting.hasNext()) {
            FeedbackEvent event = waiting.next().getValue();
            forgetOrphanTimer(event, own, context.timerService());
            Optional<LateReason> refused = own.refuses(event.timeMicros(), impressionWaitMicros);
            if (refused.isPresent()) {
                late(event, refused.get(), context);
                waiting.remove();
            }
        }
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
        AttributionWindow open = window.value(); // null while the impression is not here
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
        if (first != null) {
            metrics.duplicate();
            if (!precedes(event, first)) {
                return;
            }
        }
        feedback.put(identity, event);
        if (open == null) {
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

    /** Of two rewards with one id that differ, the earlier counts, whichever arrived first. */
    private boolean precedes(FeedbackEvent event, FeedbackEvent first) {
        return event.kind() == FeedbackKind.REWARD
                && TimedReward.IN_ORDER.compare(records.reward(event), records.reward(first)) < 0;
    }

    @Override
    public void onTimer(
            long timestampMs, OnTimerContext context, Collector<LoggedExampleRecord> out)
            throws Exception {
        watermarkMs(context); // what closes here must stay closed after a restart
        AttributionWindow open = window.value(); // null while the impression is not here
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
        Iterator<Map.Entry<String, FeedbackEvent>> waiting = feedback.iterator();
        while (waiting.hasNext()) {
            FeedbackEvent event = waiting.next().getValue();
            if (orphanedAtMs(event) <= timestampMs) {
                late(event, LateReason.ORPHANED, context);
                waiting.remove();
            }
        }
        if (feedback.isEmpty()) {
            feedback.clear(); // on the heap an emptied map is still an entry
        }
    }

    private void close(AttributionWindow open, Context context, Collector<LoggedExampleRecord> out)
            throws Exception {
        ImpressionRecord record = records.impression(impression.value());
        boolean activated = !record.getDeferred();
        List<FeedbackEvent> rewards = new ArrayList<>();
        for (FeedbackEvent event : feedback.values()) {
            if (event.kind() == FeedbackKind.REWARD) {
                rewards.add(event);
            } else {
                activated = true;
            }
        }
        if (activated) {
            out.collect(
                    JoinRecords.joined(
                            record, open, rewards.stream().map(records::reward).toList()));
            metrics.joined();
            return;
        }
        metrics.notActivated();
        for (FeedbackEvent reward : rewards) {
            late(reward, LateReason.NOT_ACTIVATED, context);
        }
    }

    private void late(FeedbackEvent event, LateReason reason, Context context) {
        metrics.late(reason);
        context.output(LATE, event.raw().toDeadLetter(reason.name(), reason.words()));
    }
}
