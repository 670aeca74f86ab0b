package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a subtask does with the records of each loop between two checkpoints. The counts are
 * written before the barrier, in the transaction of the checkpoint, so that they need no state:
 * what is counted again after a failure was not committed before.
 *
 * <p>Arrivals are many records and are needed roughly only: they are reported with other counts of
 * their loop, otherwise once a minute, and those of the last minute are lost with a failure.
 */
public final class LoopTally {

    /** Stands for records whose loop is not known. */
    public static final String NO_LOOP = "";

    /** Limit on loops with unused records, because names in refused records are arbitrary. */
    static final int MAX_LOOPS = 1_000;

    /** Limit on loops whose arrivals are counted. */
    static final int MAX_ARRIVING = 20_000;

    /** Time between two reports of arrivals alone. Each subtask reports those of each loop. */
    private static final long ARRIVALS_MS = 60_000;

    private static final int MAX_REASON = 300;

    private final String topic;
    private final WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
    private final Map<String, Counts> loops = new LinkedHashMap<>();
    private final Map<String, Arrivals> arrivals = new HashMap<>();
    private int namedByRecords;
    private long sinceMs;

    private static final class Counts {
        private final Map<Reason, UnusedCountRecord> unused = new LinkedHashMap<>();
        private LearnedCountRecord learned = new LearnedCountRecord();
        private long examples;
        private long decisions;
        private long rewards;
    }

    private static final class Arrivals {
        private long decisions;
        private long rewards;
        private long reportedMs = -1; // −1 before the first report

        boolean due(long nowMs) {
            return reportedMs < 0 || nowMs - reportedMs >= ARRIVALS_MS;
        }
    }

    private record Reason(UnusedKindRecord kind, String rule) {}

    /**
     * @param topic the topic of the counts
     * @param nowMs the current processing time
     */
    public LoopTally(String topic, long nowMs) {
        this.topic = topic;
        this.sinceMs = nowMs;
    }

    /**
     * Counts an example that a loop has taken.
     *
     * @param examples number of its examples so far
     * @param sinceSnapshot number of its examples since its last candidate
     * @param latestVersion its highest version
     */
    public void example(String loop, long examples, long sinceSnapshot, long latestVersion) {
        Counts counts = loops.computeIfAbsent(loop, name -> new Counts());
        counts.examples++;
        counts.learned.setExamples(examples);
        counts.learned.setSinceSnapshot(sinceSnapshot);
        counts.learned.setLatestVersion(latestVersion);
    }

    /** Counts a decision that has reached the join. */
    public void decision(String loop) {
        Arrivals of = arrivals(loop);
        if (of != null) {
            of.decisions++;
        }
    }

    /** Counts a reward that has reached the join. */
    public void reward(String loop) {
        Arrivals of = arrivals(loop);
        if (of != null) {
            of.rewards++;
        }
    }

    /** Null for a loop above the limit. */
    private @Nullable Arrivals arrivals(String loop) {
        Arrivals known = arrivals.get(loop);
        if (known == null && arrivals.size() < MAX_ARRIVING) {
            known = new Arrivals();
            arrivals.put(loop, known);
        }
        return known;
    }

    /**
     * Counts a record that does not become an example.
     *
     * @param loop its loop; {@link #NO_LOOP} if it is not known
     * @param rule the rule that it broke, or an empty text
     * @param reason what was wrong, without feature values
     */
    public void unused(UnusedKindRecord kind, String loop, String rule, String reason) {
        UnusedCountRecord count =
                countsOf(loop)
                        .unused
                        .computeIfAbsent(
                                new Reason(kind, rule),
                                key -> new UnusedCountRecord(kind, rule, 0L, ""));
        count.setCount(count.getCount() + 1);
        count.setReason(reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON));
    }

    private Counts countsOf(String loop) {
        Counts known = loops.get(loop);
        if (known != null) {
            return known;
        }
        if (namedByRecords >= MAX_LOOPS && !loop.equals(NO_LOOP)) {
            return countsOf(NO_LOOP);
        }
        namedByRecords++;
        Counts counts = new Counts();
        loops.put(loop, counts);
        return counts;
    }

    /** Emits a record for each loop that was counted, and starts again from zero. */
    public void report(long nowMs, Consumer<OutgoingRecord> output) {
        addArrivals(nowMs);
        loops.forEach(
                (loop, counts) -> {
                    LoopCountsRecord record =
                            new LoopCountsRecord(
                                    loop,
                                    Instant.ofEpochMilli(sinceMs),
                                    counts.examples,
                                    counts.examples == 0 ? null : counts.learned,
                                    new ArrayList<>(counts.unused.values()),
                                    counts.decisions,
                                    counts.rewards);
                    output.accept(
                            new OutgoingRecord(
                                    topic,
                                    loop.getBytes(StandardCharsets.UTF_8),
                                    codec.encode(record)));
                });
        loops.clear();
        namedByRecords = 0;
        sinceMs = nowMs;
    }

    /** Adds arrivals to the records of their loops, and to new records if it is time. */
    private void addArrivals(long nowMs) {
        for (Iterator<Map.Entry<String, Arrivals>> all = arrivals.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<String, Arrivals> entry = all.next();
            Arrivals arrived = entry.getValue();
            boolean due = arrived.due(nowMs);
            if (arrived.decisions + arrived.rewards == 0) {
                if (due) {
                    all.remove();
                }
            } else if (due || loops.containsKey(entry.getKey())) {
                Counts counts = loops.computeIfAbsent(entry.getKey(), name -> new Counts());
                counts.decisions = arrived.decisions;
                counts.rewards = arrived.rewards;
                arrived.decisions = 0;
                arrived.rewards = 0;
                arrived.reportedMs = nowMs;
            }
        }
    }
}
