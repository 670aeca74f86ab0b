package io.counterflow.flink.join;

import io.counterflow.core.log.RewardMetric;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.sinks.LoopTally;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.types.ValueTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.ImpressionHead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Joins an impression with its rewards and emits the example when the attribution window ends. It
 * does not emit earlier: early rewards must not be learned before missing ones.
 *
 * <p>Keyed by {@link Buckets}. The examples depend only on event times, unless records arrive after
 * the watermark. A record that arrives after its window, or without an impression, goes to {@link
 * #LATE}. The state of an impression and its feedback is removed when the window closes. A later
 * duplicate has the same time, so it is after its window and late; therefore no ids are kept.
 *
 * <p>An impression counts if its answer may have reached the caller. A retraction says that it did
 * not. If an event was asked for again, its answers must be the same but for their time: then they
 * count as one decision, and otherwise as none. An event with two answers does not count either if
 * both chose the same action, because its propensity is unknown, and because leaving out only the
 * events whose actions differ would bias what is learned.
 *
 * <p>An index of the decisions that wait is on the heap, and their impressions are in a {@link
 * WaitingLog}. The index is not part of the state: a restart reads it from the log. The watermark
 * closes windows in pieces. Between them the task takes in other records and checkpoint barriers,
 * and the next operator gets the watermark when everything is closed that was due at it.
 */
public final class RewardJoin extends AbstractStreamOperator<LoopEvent>
        implements OneInputStreamOperator<FeedbackEvent, LoopEvent> {

    /** Identity in savepoints. Renaming it loses all waiting feedback. */
    public static final String UID = "reward-join";

    /** Records that were not joined, with the reason. */
    public static final OutputTag<DeadLetterRecord> LATE =
            new OutputTag<>("late", ValueTypeInfo.ofRecord(DeadLetterRecord.class));

    /** Counts of late records and retracted decisions, by loop. */
    public static final OutputTag<OutgoingRecord> COUNTS =
            new OutputTag<>("counts", TypeInformation.of(OutgoingRecord.class));

    /** Number of windows to close at once, which takes about a millisecond. */
    static final int PIECE = 64;

    private static final long serialVersionUID = 2L;

    private static final String REACHED_STATE = "reached";

    private final JoinConfig settings;
    private final Buckets keys;
    private final Topics topics;
    private final long impressionWaitMicros;

    private transient JoinRecords records;
    private transient JoinMetrics joinMetrics;
    private transient LoopTally tally;
    private transient ValueState<Reached> reached;
    private transient WaitingLog log;
    private transient EarlyFeedback early;
    private transient Map<Integer, Bucket> buckets;
    private transient Schedule schedule;
    private transient MailboxExecutor mailbox;
    private transient long watermarkMs;
    private transient boolean closing; // the rest of a watermark is in the mailbox

    /**
     * @param keys the key selector of the input
     * @param topics the topics that counts are written to
     */
    @SuppressWarnings("NullAway.Init") // Flink calls initializeState() first
    public RewardJoin(JoinConfig settings, Buckets keys, Topics topics) {
        this.settings = settings;
        this.keys = keys;
        this.topics = topics;
        this.impressionWaitMicros =
                Math.multiplyExact(settings.impressionWait().toMillis(), 1_000L);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        records = new JoinRecords();
        joinMetrics = new JoinMetrics(getMetricGroup());
        tally = new LoopTally(topics.name(Topic.LOOP_COUNTS), nowMs());
        reached =
                context.getKeyedStateStore()
                        .getState(
                                new ValueStateDescriptor<>(
                                        REACHED_STATE, TypeInformation.of(Reached.class)));
        log = new WaitingLog(context.getKeyedStateStore(), this::setBucket, settings.cacheBytes());
        early = new EarlyFeedback(context.getKeyedStateStore(), this::setBucket);
        schedule = new Schedule();
        mailbox = getContainingTask().getMailboxExecutorFactory().createExecutor(chainIndex());
        watermarkMs = Long.MIN_VALUE;
        buckets = new HashMap<>();
        TaskInfo task = getRuntimeContext().getTaskInfo();
        for (int number :
                keys.of(task.getIndexOfThisSubtask(), task.getNumberOfParallelSubtasks())) {
            buckets.put(number, restored(number));
        }
        log.deleteClosed();
        joinMetrics.gauge("waiting_decisions", this::waitingDecisions);
        joinMetrics.gauge("cached_bytes", log::heapBytes);
        joinMetrics.gauge("written_bytes", log::storedBytes);
        joinMetrics.gauge("read_bytes", log::readBytes);
    }

    long waitingDecisions() {
        return buckets.values().stream().mapToLong(it -> it.decisions().size()).sum();
    }

    WaitingLog log() {
        return log;
    }

    private int chainIndex() {
        return getOperatorConfig().getChainIndex();
    }

    private void setBucket(int number) {
        setCurrentKey(keys.key(number));
    }

    private Bucket restored(int number) throws Exception {
        setBucket(number);
        Reached before = reached.value(); // null at the first start
        Bucket bucket = new Bucket(number, before == null ? Reached.NOTHING : before);
        record Wait(String key, long closesAtMs) {}
        record LoggedFeedback(FeedbackEvent event, long closesAtMs, Position position) {}
        record Mark(String key, long checksum, Consumer<WaitingDecision> effect) {}
        List<LoggedFeedback> feedback = new ArrayList<>(); // segments are read in any order
        Map<Wait, Position> settled = new HashMap<>();
        List<Mark> marks = new ArrayList<>();
        WaitingRecords.Visitor visitor =
                new WaitingRecords.Visitor() {
                    @Override
                    public void decision(
                            String key,
                            AttributionWindow window,
                            long checksum,
                            WaitingLog.Place place) {
                        WaitingDecision decision = new WaitingDecision(number, key);
                        decision.open(window, checksum, place);
                        if (!bucket.reached().hasClosed(decision)) {
                            WaitingDecision other = bucket.decisions().put(key, decision);
                            if (other != null) {
                                decision.follow(other);
                            }
                            schedule.add(decision);
                            WaitingLog.retain(place.segment());
                        }
                    }

                    @Override
                    public void feedback(
                            FeedbackEvent event, long closesAtMs, WaitingLog.Place place) {
                        feedback.add(new LoggedFeedback(event, closesAtMs, place.position()));
                    }

                    @Override
                    public void settled(String key, long closesAtMs, WaitingLog.Place place) {
                        settled.merge(
                                new Wait(key, closesAtMs),
                                place.position(),
                                (one, other) -> one.compareTo(other) > 0 ? one : other);
                    }

                    @Override
                    public void retracted(String key, long checksum) {
                        marks.add(new Mark(key, checksum, WaitingDecision::retract));
                    }

                    @Override
                    public void conflicting(String key, long checksum) {
                        marks.add(new Mark(key, checksum, WaitingDecision::markConflicting));
                    }
                };
        log.restore(number, (place, in) -> WaitingRecords.read(place, in, visitor));
        for (LoggedFeedback logged : feedback) {
            String key = logged.event().key();
            WaitingDecision decision = bucket.decisions().get(key);
            Position used =
                    settled.getOrDefault(new Wait(key, logged.closesAtMs()), Position.START);
            if (decision != null
                    && decision.hasDueAt(logged.closesAtMs())
                    && used.compareTo(logged.position()) < 0) {
                restore(decision, logged.event());
            }
        }
        for (Mark mark : marks) {
            WaitingDecision newest = bucket.decisions().get(mark.key());
            WaitingDecision decision = newest == null ? null : newest.withChecksum(mark.checksum());
            if (decision != null) {
                mark.effect().accept(decision);
            }
        }
        for (FeedbackEvent event : early.restore(number)) {
            WaitingFeedback waiting = restore(decision(bucket, event.key()), event);
            waiting.waitUntil(orphanedAtMs(event));
            waiting.stored(true);
            schedule.add(waiting);
        }
        return bucket;
    }

    private WaitingFeedback restore(WaitingDecision decision, FeedbackEvent event) {
        WaitingFeedback waiting = new WaitingFeedback(decision, event, records.reward(event));
        WaitingFeedback first = decision.sameAs(waiting);
        if (first == null) {
            decision.add(waiting);
        } else if (waiting.precedes(first)) {
            decision.remove(first);
            decision.add(waiting);
        }
        return waiting;
    }

    private static WaitingDecision decision(Bucket bucket, String key) {
        return bucket.decisions()
                .computeIfAbsent(key, it -> new WaitingDecision(bucket.number(), key));
    }

    @Override
    public void processElement(StreamRecord<FeedbackEvent> element) throws Exception {
        FeedbackEvent event = element.getValue();
        Bucket bucket = bucket(keys.of(event));
        switch (event.kind()) {
            case IMPRESSION -> takeImpression(event, bucket);
            case RETRACTION -> takeRetraction(event, bucket);
            case REWARD -> {
                tally.reward(event.loop());
                takeFeedback(event, bucket);
            }
            case ACTIVATION -> takeFeedback(event, bucket);
        }
    }

    private Bucket bucket(int number) {
        return Objects.requireNonNull(buckets.get(number), "a bucket of another subtask");
    }

    /** The watermark of a bucket: the current one, or that before a restart. */
    private long watermarkMs(Bucket bucket) {
        return Math.max(watermarkMs, bucket.reached().watermarkMs());
    }

    private void takeImpression(FeedbackEvent event, Bucket bucket) throws Exception {
        AttributionWindow own = AttributionWindow.of(event);
        tally.decision(event.loop());
        if (own.prejoined()) {
            tally.reward(event.loop());
        }
        if (own.closesAtMs() <= watermarkMs(bucket)) {
            late(event, LateReason.IMPRESSION_AFTER_ITS_WINDOW);
            return;
        }
        String key = event.key();
        long checksum = WaitingDecision.checksum(JoinRecords.bytes(event));
        WaitingDecision decision = decision(bucket, key);
        if (decision.window() != null) {
            if (decision.withChecksum(checksum) != null) {
                joinMetrics.duplicate();
                return;
            }
            if (own.prejoined() || decision.window().prejoined()) { // one was learned from already
                late(event, LateReason.CONFLICTING_IMPRESSION);
                return;
            }
            if (decision.decisions() >= settings.maxFeedback()) {
                late(event, LateReason.TOO_MUCH_FEEDBACK);
                return;
            }
            WaitingDecision newest = new WaitingDecision(bucket.number(), key);
            newest.follow(decision);
            bucket.decisions().put(key, newest);
            decision = newest;
        }
        WaitingLog.Writer writer =
                own.prejoined()
                        ? WaitingRecords.prejoined(key, own, checksum)
                        : WaitingRecords.impression(event);
        decision.open(own, checksum, log.add(bucket.number(), own.closesAtMs(), writer));
        schedule.add(decision);
        if (own.prejoined()) {
            emit(
                    JoinRecords.example(event, own, JoinRecords.prejoined(records.head(event))),
                    own.closesAtMs());
        }
        if (decision.earlier() == null) {
            adoptFeedback(decision, own);
        } else if (decision.lastToClose() == decision) {
            for (WaitingFeedback feedback : decision.feedback()) { // its segment may be deleted
                log.append(
                        decision.segment(),
                        WaitingRecords.feedback(feedback.event(), own.closesAtMs()));
            }
        }
    }

    /**
     * A retraction without its impression is not kept: it follows the impression in the same
     * partition, so that the impression is not in Kafka, or its window has closed.
     */
    private void takeRetraction(FeedbackEvent event, Bucket bucket) throws Exception {
        WaitingDecision newest = bucket.decisions().get(event.key()); // null if none is open
        for (WaitingDecision it = newest; it != null; it = it.earlier()) {
            if (it.isTakenAt(event.timeMicros()) && !it.isRetracted()) {
                it.retract();
                tally.unused(UnusedKindRecord.RETRACTED, event.loop(), "", "");
                log.append(it.segment(), WaitingRecords.retracted(it));
            }
        }
    }

    /** Moves feedback that arrived before its impression to the end of the window. */
    private void adoptFeedback(WaitingDecision decision, AttributionWindow own) throws Exception {
        List<WaitingFeedback> adopted = new ArrayList<>(0);
        for (WaitingFeedback feedback : decision.feedback()) {
            FeedbackEvent event = feedback.event();
            early.remove(feedback);
            Optional<LateReason> refused = own.refuses(event.timeMicros(), impressionWaitMicros);
            if (refused.isPresent()) {
                late(event, refused.get());
            } else {
                log.append(decision.segment(), WaitingRecords.feedback(event, own.closesAtMs()));
                adopted.add(feedback);
            }
        }
        decision.feedback(adopted.isEmpty() ? List.of() : adopted);
    }

    private long orphanedAtMs(FeedbackEvent event) {
        return AttributionWindow.toMs(event.timeMicros() + impressionWaitMicros);
    }

    private void takeFeedback(FeedbackEvent event, Bucket bucket) throws Exception {
        String key = event.key();
        WaitingDecision known = bucket.decisions().get(key); // null before anything else arrives
        Optional<LateReason> refused = refused(event, known, watermarkMs(bucket));
        if (refused.isPresent()) {
            late(event, refused.get());
            return;
        }
        WaitingDecision decision =
                known == null ? new WaitingDecision(bucket.number(), key) : known;
        WaitingFeedback waiting = new WaitingFeedback(decision, event, records.reward(event));
        WaitingFeedback first = decision.sameAs(waiting);
        if (first != null) {
            joinMetrics.duplicate();
            if (!waiting.precedes(first)) {
                return;
            }
            decision.remove(first);
            early.remove(first);
        } else if (decision.feedback().size() >= settings.maxFeedback()) {
            late(event, LateReason.TOO_MUCH_FEEDBACK);
            return;
        }
        decision.add(waiting);
        if (decision.window() == null) {
            bucket.decisions().put(key, decision);
            early.add(waiting, orphanedAtMs(event));
            schedule.add(waiting);
        } else {
            WaitingDecision last = decision.lastToClose();
            log.append(last.segment(), WaitingRecords.feedback(event, last.dueMs()));
        }
    }

    private Optional<LateReason> refused(
            FeedbackEvent event, @Nullable WaitingDecision known, long reachedMs) {
        if (known == null || known.window() == null) {
            return orphanedAtMs(event) <= reachedMs
                    ? Optional.of(LateReason.ORPHANED)
                    : Optional.empty();
        }
        LateReason reason = LateReason.ORPHANED; // if all are about to be closed
        for (WaitingDecision it = known; it != null; it = it.earlier()) {
            if (it.dueMs() > reachedMs) {
                Optional<LateReason> refused =
                        Objects.requireNonNull(it.window())
                                .refuses(event.timeMicros(), impressionWaitMicros);
                if (refused.isEmpty()) {
                    return refused;
                }
                if (reason != LateReason.REWARD_AFTER_WINDOW) { // whatever order they are in
                    reason = refused.get();
                }
            }
        }
        return Optional.of(reason);
    }

    /**
     * Closes what is due. The last watermark, at the end of the input, closes nothing: a job that
     * is stopped goes on later, and rewards still arrive.
     */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.getTimestamp() < Watermark.MAX_WATERMARK.getTimestamp()) {
            watermarkMs = Math.max(watermarkMs, mark.getTimestamp());
            if (!closing) {
                closeDue();
            }
        }
    }

    /**
     * Not forwarded. If all feedback is idle, time stands still; otherwise specs and commands,
     * whose watermark is after all events, would decide what time it is for the loops.
     */
    @Override
    public void processWatermarkStatus(WatermarkStatus status) {
        // The last watermark holds.
    }

    private void closeDue() throws Exception {
        closing = !closePiece();
        if (closing) {
            mailbox.execute(
                    MailboxExecutor.MailOptions.deferrable(), this::closeMore, "close windows");
        } else {
            output.emitWatermark(new Watermark(watermarkMs));
        }
    }

    private void closeMore() throws Exception {
        if (closing) { // not after the end of the input
            closeDue();
        }
    }

    /** Returns whether nothing is due any more. */
    private boolean closePiece() throws Exception {
        for (int i = 0; i < PIECE; i++) {
            Due due = schedule.poll(watermarkMs);
            if (due == null) {
                return true;
            }
            if (due instanceof WaitingDecision decision) {
                close(decision);
            } else {
                giveUpOn((WaitingFeedback) due);
            }
        }
        return false;
    }

    private void giveUpOn(WaitingFeedback feedback) throws Exception {
        if (!feedback.early()) {
            return; // its impression has arrived, or an earlier copy
        }
        early.remove(feedback);
        WaitingDecision decision = feedback.decision();
        decision.remove(feedback);
        if (decision.feedback().isEmpty()) {
            bucket(feedback.bucket()).decisions().remove(decision.key());
        }
        late(feedback.event(), LateReason.ORPHANED);
    }

    private void close(WaitingDecision decision) throws Exception {
        Bucket bucket = bucket(decision.bucket());
        WaitingDecision newest =
                Objects.requireNonNull(bucket.decisions().remove(decision.key()), "not waiting");
        List<WaitingFeedback> feedback = newest.feedback();
        WaitingDecision others = newest.without(decision);
        if (others != null) {
            bucket.decisions().put(decision.key(), others);
        }
        AttributionWindow window = Objects.requireNonNull(decision.window());
        if (!window.prejoined()) {
            if (decision.isRetracted()) {
                joinMetrics.retracted();
                refuse(others == null ? feedback : List.of(), LateReason.RETRACTED);
            } else if (others != null && others.isAnswered()) {
                leaveTo(others, decision);
            } else {
                if (others != null && !feedback.isEmpty()) {
                    others.feedback(List.of());
                    WaitingDecision last = others.lastToClose();
                    log.append(last.segment(), WaitingRecords.settled(last.key(), last.dueMs()));
                }
                FeedbackEvent shown = impression(decision);
                if (decision.isConflicting()) {
                    late(shown, LateReason.CONFLICTING_IMPRESSION);
                    refuse(feedback, LateReason.CONFLICTING_IMPRESSION);
                } else {
                    complete(shown, window, feedback);
                }
            }
        }
        bucket.reached(bucket.reached().closed(decision));
        log.release(decision.segment());
    }

    private FeedbackEvent impression(WaitingDecision decision) throws Exception {
        return WaitingRecords.readImpression(log.read(decision.segment(), decision.offset()));
    }

    /**
     * Closes a decision of an event that has others, which wait longer. It is compared with all of
     * them, so that the order in which they arrived, which a restart forgets, does not matter.
     */
    private void leaveTo(WaitingDecision others, WaitingDecision decision) throws Exception {
        FeedbackEvent shown = impression(decision);
        boolean same = !decision.isConflicting();
        for (WaitingDecision it = others; it != null && same; it = it.earlier()) {
            same = it.isRetracted() || records.isSameAnswer(shown, impression(it));
        }
        if (same) {
            joinMetrics.duplicate();
            return;
        }
        late(shown, LateReason.CONFLICTING_IMPRESSION);
        for (WaitingDecision it = others; it != null; it = it.earlier()) {
            if (!it.isConflicting()) {
                it.markConflicting();
                log.append(it.segment(), WaitingRecords.conflicting(it));
            }
        }
    }

    private void refuse(List<WaitingFeedback> feedback, LateReason reason) {
        for (WaitingFeedback waiting : feedback) {
            late(waiting.event(), reason);
        }
    }

    private void complete(
            FeedbackEvent shown, AttributionWindow window, List<WaitingFeedback> feedback) {
        ImpressionHead head = records.head(shown);
        boolean activated = !head.deferred();
        boolean guarded = head.guardrailDefaultReward() != null;
        List<FeedbackEvent> events = new ArrayList<>(0);
        List<TimedReward> rewards = new ArrayList<>(0);
        for (WaitingFeedback waiting : feedback) {
            TimedReward reward = waiting.reward();
            if (reward == null) {
                activated = true;
            } else if (guarded || reward.metric() == RewardMetric.REWARD) {
                events.add(waiting.event());
                rewards.add(reward);
            } else {
                late(waiting.event(), LateReason.NO_GUARDRAIL);
            }
        }
        if (activated) {
            emit(
                    JoinRecords.example(shown, window, JoinRecords.joined(head, rewards)),
                    window.closesAtMs());
            return;
        }
        joinMetrics.notActivated();
        for (FeedbackEvent event : events) {
            late(event, LateReason.NOT_ACTIVATED);
        }
    }

    private void emit(LoopEvent example, long timestampMs) {
        output.collect(new StreamRecord<>(example, timestampMs));
        joinMetrics.joined();
    }

    private void late(FeedbackEvent event, LateReason reason) {
        joinMetrics.late(reason);
        tally.unused(UnusedKindRecord.LATE, event.loop(), reason.name(), reason.words());
        output.collect(
                LATE,
                new StreamRecord<>(
                        event.raw().toDeadLetter(reason.name(), reason.words()), event.timeMs()));
    }

    private long nowMs() {
        return getProcessingTimeService().getCurrentProcessingTime();
    }

    private void reportCounts() {
        tally.report(nowMs(), record -> output.collect(COUNTS, new StreamRecord<>(record)));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        reportCounts();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        log.store();
        early.store();
        for (Bucket bucket : buckets.values()) {
            setBucket(bucket.number());
            reached.update(bucket.reached().watermark(watermarkMs));
        }
        super.snapshotState(context);
    }

    /** Called at the end of the input, before the last checkpoint. */
    @Override
    public void finish() throws Exception {
        if (closing) {
            while (!closePiece()) {
                // until nothing is due
            }
            closing = false;
            output.emitWatermark(new Watermark(watermarkMs));
        }
        reportCounts();
        super.finish();
    }
}
