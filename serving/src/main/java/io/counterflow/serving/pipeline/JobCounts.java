package io.counterflow.serving.pipeline;

import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.ReasonCount;
import io.counterflow.serving.diagnosis.UnusedRecords;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What the job has counted of each loop lately. Safe for use by several threads. */
public final class JobCounts {

    /** The name under which the job counts records whose loop is not known. */
    public static final String NO_LOOP = "";

    /** Limit on loops. The one without counts for the longest time is removed. */
    static final int MAX_LOOPS = 20_000;

    /** Counts cover a few minutes, but how far a quiet loop has learned is older. */
    private static final Duration HISTORY = Duration.ofMinutes(30);

    /** Limit on the records of one partition that are read at the start. */
    private static final long MAX_HISTORY = 200_000;

    /** After this time a snapshot must have arrived, also a large one. */
    private static final long SNAPSHOT_DELAY_MS = 30_000;

    private static final Map<String, String> CONSUMER = Map.of("max.poll.records", "2000");

    /** The least recently counted first. */
    private final Map<String, Counts> loops = new LinkedHashMap<>();

    private boolean upToDate;

    private static final class Counts {
        private final ReportedCount examples = new ReportedCount();
        private final ReportedCount retracted = new ReportedCount();
        private final ReportedCount decisions = new ReportedCount();
        private final ReportedCount rewards = new ReportedCount();
        private final Map<Reason, Unused> unused = new LinkedHashMap<>();
        private @Nullable Learned learned; // null before the first examples
        private @Nullable Learned next; // a later one, which takes the place of the earlier one
        private @Nullable Learned earlier; // null before a report that is old enough
    }

    private record Learned(long atMs, long sinceSnapshot, long latestVersion) {

        boolean isOld(long nowMs) {
            return nowMs - atMs >= SNAPSHOT_DELAY_MS;
        }
    }

    private record Reason(UnusedKindRecord kind, String rule) {}

    private static final class Unused {
        private final ReportedCount count = new ReportedCount();
        private String newest = "";
    }

    /**
     * Follows the topic of counts.
     *
     * @param log receives a message about each failure
     */
    TopicFollower follow(KafkaConfig kafka, Topics topics, Clock clock, Consumer<String> log) {
        return TopicFollower.start(
                new TopicFollower.Source("follow-counts", kafka, CONSUMER),
                reader -> follow(reader, topics.name(Topic.LOOP_COUNTS), clock, log),
                log);
    }

    private void follow(TopicReader reader, String topic, Clock clock, Consumer<String> log) {
        WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
        Map<TopicPartition, Long> ends = reader.endOffsets(List.of(topic));
        forget(); // after a failure everything is read again
        reader.addSince(List.of(topic), clock.millis() - HISTORY.toMillis(), MAX_HISTORY);
        boolean caughtUp = false;
        while (reader.isActive()) {
            reader.poll().forEach(record -> take(record, codec, log));
            if (!caughtUp && reader.hasReached(ends)) {
                caughtUp = true;
                caughtUp();
            }
        }
    }

    private void take(
            ConsumerRecord<byte[], byte[]> record,
            WireCodec<LoopCountsRecord> codec,
            Consumer<String> log) {
        byte[] value = record.value();
        if (value == null || !codec.accepts(value)) {
            return;
        }
        try {
            take(codec.decode(value), record.timestamp());
        } catch (UndecodableRecordException e) {
            log.accept("cannot decode counts: " + e.getMessage());
        }
    }

    private synchronized void forget() {
        loops.clear();
        upToDate = false;
    }

    synchronized void forget(String loop) {
        loops.remove(loop);
    }

    /** All counts that existed at the start have been read. */
    public synchronized void caughtUp() {
        upToDate = true;
    }

    /** Whether all counts that existed at the start have been read. */
    synchronized boolean isUpToDate() {
        return upToDate;
    }

    /**
     * Adds what a subtask has counted.
     *
     * @param untilMs the end of the time that it covers
     */
    public synchronized void take(LoopCountsRecord record, long untilMs) {
        long fromMs = record.getSince().toEpochMilli();
        Counts known = loops.remove(record.getLoop());
        Counts counts = known == null ? new Counts() : known;
        loops.put(record.getLoop(), counts);
        if (loops.size() > MAX_LOOPS) {
            loops.remove(loops.keySet().iterator().next());
        }
        if (record.getExamples() > 0) {
            counts.examples.add(fromMs, untilMs, record.getExamples());
        }
        if (record.getDecisions() > 0) {
            counts.decisions.add(fromMs, untilMs, record.getDecisions());
        }
        if (record.getRewards() > 0) {
            counts.rewards.add(fromMs, untilMs, record.getRewards());
        }
        LearnedCountRecord learned = record.getLearned();
        if (learned != null) {
            Learned report =
                    new Learned(untilMs, learned.getSinceSnapshot(), learned.getLatestVersion());
            counts.learned = report;
            if (counts.next == null) {
                counts.next = report;
            } else if (counts.next.isOld(untilMs)) {
                counts.earlier = counts.next;
                counts.next = report;
            }
        }
        for (UnusedCountRecord unused : record.getUnused()) {
            if (unused.getKind() == UnusedKindRecord.RETRACTED) {
                counts.retracted.add(fromMs, untilMs, unused.getCount());
            } else {
                Unused same =
                        counts.unused.computeIfAbsent(
                                new Reason(unused.getKind(), unused.getRule()),
                                key -> new Unused());
                same.count.add(fromMs, untilMs, unused.getCount());
                same.newest = unused.getReason();
            }
        }
    }

    /** The examples that a loop has taken. */
    synchronized FlowCount examples(String loop, long nowMs) {
        return find(loop).map(it -> it.examples.read(nowMs)).orElse(FlowCount.none());
    }

    /** The decisions of a loop that do not count. */
    synchronized FlowCount retracted(String loop, long nowMs) {
        return find(loop).map(it -> it.retracted.read(nowMs)).orElse(FlowCount.none());
    }

    /** The decisions of a loop that have reached the job. */
    synchronized FlowCount decisions(String loop, long nowMs) {
        return find(loop).map(it -> it.decisions.read(nowMs)).orElse(FlowCount.none());
    }

    /** The rewards of a loop that have reached the job. */
    synchronized FlowCount rewards(String loop, long nowMs) {
        return find(loop).map(it -> it.rewards.read(nowMs)).orElse(FlowCount.none());
    }

    /** The late records of a loop. */
    UnusedRecords late(String loop, long nowMs) {
        return unused(UnusedKindRecord.LATE, loop, nowMs);
    }

    /** The dead letters of a loop, or with {@link #NO_LOOP} those whose loop is not known. */
    UnusedRecords deadLetters(String loop, long nowMs) {
        return unused(UnusedKindRecord.DEAD_LETTER, loop, nowMs);
    }

    private synchronized UnusedRecords unused(UnusedKindRecord kind, String loop, long nowMs) {
        List<ReasonCount> reasons = new ArrayList<>();
        FlowCount total = FlowCount.none();
        for (Map.Entry<Reason, Unused> entry :
                find(loop).map(it -> it.unused).orElse(Map.of()).entrySet()) {
            FlowCount count = entry.getValue().count.read(nowMs);
            if (entry.getKey().kind() == kind && count.flows()) {
                reasons.add(
                        new ReasonCount(
                                entry.getKey().rule(), count.recent(), entry.getValue().newest));
                total = sum(total, count);
            }
        }
        reasons.sort(
                Comparator.comparingLong(ReasonCount::count)
                        .reversed()
                        .thenComparing(ReasonCount::rule));
        return new UnusedRecords(total, reasons);
    }

    private static FlowCount sum(FlowCount one, FlowCount other) {
        return new FlowCount(
                one.recent() + other.recent(),
                one.perSecond() + other.perSecond(),
                one.last().isEmpty() || isAfter(other.last(), one.last())
                        ? other.last()
                        : one.last(),
                one.since().isEmpty() || isAfter(one.since(), other.since())
                        ? other.since()
                        : one.since());
    }

    private static boolean isAfter(Optional<Instant> one, Optional<Instant> other) {
        return one.isPresent() && other.isPresent() && one.get().isAfter(other.get());
    }

    /** Examples since the newest snapshot; empty if the job has not said it lately. */
    synchronized OptionalLong sinceSnapshot(String loop) {
        Learned learned = find(loop).map(it -> it.learned).orElse(null);
        return learned == null ? OptionalLong.empty() : OptionalLong.of(learned.sinceSnapshot());
    }

    /** A version that the job froze so long ago that its snapshot must have arrived; 0 if none. */
    synchronized long frozenVersion(String loop, long nowMs) {
        Counts counts = loops.get(loop);
        if (counts == null) {
            return 0;
        }
        for (Learned report : Arrays.asList(counts.learned, counts.next, counts.earlier)) {
            if (report != null && report.isOld(nowMs)) {
                return report.latestVersion();
            }
        }
        return 0;
    }

    private Optional<Counts> find(String loop) {
        return Optional.ofNullable(loops.get(loop));
    }
}
