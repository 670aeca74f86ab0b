package io.counterflow.flink.histories;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventDecoder;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.Outcome;
import io.counterflow.flink.histories.Checkpoint.Arrival;
import io.counterflow.flink.histories.Checkpoint.Taken;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.jspecify.annotations.Nullable;

/** Compares what the job has committed with what the models say, and with a replay. */
final class Verification {

    private static final RecordDecoder<LoopEvent> JOURNAL =
            LoopEventDecoder.ofJournal(IngestLimits.defaults());
    private static final WireCodec<LoopCountsRecord> COUNTS = WireCodec.of(LoopCountsRecord.class);
    private static final WireCodec<DeadLetterRecord> LETTERS = WireCodec.of(DeadLetterRecord.class);
    private static final WireCodec<IpsWindowRecord> WINDOWS = WireCodec.of(IpsWindowRecord.class);

    private static final Map<String, Topic> TOPICS = topics();

    private final History history;
    private final Checkpoint last;
    private final Checkpoint.Written written;
    private final Map<String, List<LoopEvent>> journal = new TreeMap<>(); // by loop
    private final List<LoopEvent> entries = new ArrayList<>();
    private final List<DeadLetterRecord> deadLetters = new ArrayList<>();

    private Verification(History history, Simulation.Result result) throws Exception {
        this.history = history;
        this.last = result.last();
        this.written = result.written();
        deadLetters.addAll(written.deadLetters());
        for (OutgoingRecord record : written.results()) {
            if (is(record, Topic.JOURNAL)) {
                RawRecord raw = new RawRecord("journal", 0, 0, 0, record.key(), record.value());
                LoopEvent entry = Objects.requireNonNull(JOURNAL.decode(raw).event());
                entries.add(entry);
                journal.computeIfAbsent(entry.loop(), it -> new ArrayList<>()).add(entry);
            } else if (is(record, Topic.DEAD_LETTERS)) {
                deadLetters.add(LETTERS.decode(Objects.requireNonNull(record.value())));
            }
        }
    }

    private static Map<String, Topic> topics() {
        Map<String, Topic> bySuffix = new HashMap<>();
        for (Topic topic : Topic.values()) {
            bySuffix.put(topic.suffix(), topic);
        }
        return bySuffix;
    }

    /**
     * @throws AssertionError if something came out that should not, or did not that should
     */
    static void verify(History history, Simulation.Result result) throws Exception {
        Verification it = new Verification(history, result);
        it.verifyJoin();
        it.verifyJournal();
        it.verifyWindows();
        it.verifyCounts();
        it.verifyReplay();
    }

    private static boolean is(OutgoingRecord record, Topic topic) {
        return record.topic().equals(Job.TOPICS.name(topic));
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation's library is not a dependency
    private static void require(boolean holds, String what, Object... values) {
        if (!holds) {
            throw new AssertionError(what.formatted(values));
        }
    }

    /** The same things, each as often, in any order. */
    private static void requireSame(String what, List<String> actual, List<String> expected) {
        List<String> missing = new ArrayList<>(expected);
        List<String> unexpected = new ArrayList<>();
        for (String it : actual) {
            if (!missing.remove(it)) {
                unexpected.add(it);
            }
        }
        require(
                missing.isEmpty() && unexpected.isEmpty(),
                "%s:%n  missing: %s%n  not expected: %s",
                what,
                missing,
                unexpected);
    }

    private static Sent.Place place(String topic, int partition, long offset) {
        return new Sent.Place(Objects.requireNonNull(TOPICS.get(topic)), partition, offset);
    }

    private static String letter(DeadLetterRecord letter) {
        return place(letter.getTopic(), letter.getPartition(), letter.getOffset())
                + " "
                + letter.getRule();
    }

    /** Every impression and all feedback has the fate that its event's history gives it. */
    private void verifyJoin() {
        List<String> examples = new ArrayList<>();
        List<String> late = new ArrayList<>();
        for (List<Arrival> arrivals : byEvent().values()) {
            JoinModel.Outcome outcome = JoinModel.of(arrivals);
            outcome.examples().forEach(it -> examples.add(it.toString()));
            outcome.late().forEach(it -> late.add(it.record() + " " + it.reason()));
            EventOrder.verify(arrivals, outcome);
        }
        requireSame("late", written.late().stream().map(Verification::letter).toList(), late);
        List<String> joined = new ArrayList<>();
        for (Checkpoint.LoopInput input : last.loopInputs()) {
            if (input instanceof Taken taken && taken.event().kind() == LoopEventKind.EXAMPLE) {
                joined.add(example(taken.sent(), taken.event()).toString());
            }
        }
        requireSame("examples", joined, examples);
        requireSame("arrived at the join", arrived(), sent());
    }

    /** What reached the join, by loop and event. */
    private Map<String, List<Arrival>> byEvent() {
        Map<String, List<Arrival>> byEvent = new LinkedHashMap<>();
        for (Arrival arrival : last.arrivals()) {
            Meaning meaning = arrival.sent().meaning();
            byEvent.computeIfAbsent(meaning.loop() + " " + meaning.event(), it -> new ArrayList<>())
                    .add(arrival);
        }
        return byEvent;
    }

    private static JoinModel.Example example(Sent sent, LoopEvent event) {
        Outcome outcome = Objects.requireNonNull(event.outcome());
        Double guardrail = outcome.guardrailReward();
        return new JoinModel.Example(
                sent.place(),
                event.timeMicros() - Feedback.at(0) * 1_000L,
                outcome.reward(),
                guardrail == null ? OptionalDouble.empty() : OptionalDouble.of(guardrail),
                outcome.origin().name(),
                outcome.rewards());
    }

    private List<String> arrived() {
        return last.arrivals().stream().map(it -> it.sent().place().toString()).toList();
    }

    /** What has to reach the join: all feedback that ingest does not refuse. */
    private List<String> sent() {
        return history.records().stream()
                .filter(it -> it.topic() == Topic.IMPRESSIONS || it.topic() == Topic.REWARDS)
                .filter(it -> ingestRefuses(it) == null)
                .filter(it -> !(it.meaning() instanceof Meaning.Heartbeat))
                .map(it -> it.place().toString())
                .toList();
    }

    /** The rule that a record breaks on its own; null if it breaks none. */
    static @Nullable String ingestRefuses(Sent sent) {
        if (sent.meaning() instanceof Meaning.Garbage) {
            return "NOT_A_RECORD";
        }
        long latest = 1_000L * (sent.appendedMs() + Job.MAX_CLOCK_SKEW.toMillis());
        return sent.meaning().at() > latest ? "TIME" : null;
    }

    /** Each loop has taken what reached it, in order, with numbers without gaps. */
    private void verifyJournal() {
        List<String> expectedLetters = new ArrayList<>();
        for (Sent sent : history.records()) {
            String rule = ingestRefuses(sent);
            if (rule != null) {
                expectedLetters.add(sent.place() + " " + rule);
            }
        }
        Set<String> loops = new TreeSet<>(journal.keySet());
        for (Sent sent : history.records()) {
            if (!sent.meaning().loop().isEmpty()) {
                loops.add(sent.meaning().loop());
            }
        }
        for (String loop : loops) {
            LoopModel.Outcome outcome =
                    LoopModel.of(
                            last.loopInputs(),
                            loop,
                            KeyGroupRangeAssignment.assignToKeyGroup(
                                    loop, Subtask.MAX_PARALLELISM));
            outcome.refused().forEach(it -> expectedLetters.add(it.record() + " " + it.rule()));
            verifyJournal(loop, outcome.journal());
        }
        requireSame(
                "dead letters",
                deadLetters.stream().map(Verification::letter).toList(),
                expectedLetters);
    }

    private void verifyJournal(String loop, List<LoopModel.Entry> expected) {
        List<LoopEvent> actual = journal.getOrDefault(loop, List.of());
        List<LoopModel.Entry> taken = new ArrayList<>();
        long number = 0;
        for (LoopEvent entry : actual) {
            number++;
            require(
                    entry.sequence() == number,
                    "entry %d of %s has number %d",
                    number,
                    loop,
                    entry.sequence());
            if (entry.kind() != LoopEventKind.TIME) {
                taken.add(
                        new LoopModel.Entry(
                                entry.kind().name(),
                                new Sent.Place(
                                        switch (entry.kind()) {
                                            case EXAMPLE -> Topic.IMPRESSIONS;
                                            case COMMAND -> Topic.ROLLOUT_COMMANDS;
                                            default -> Topic.LOOPS;
                                        },
                                        entry.raw().partition(),
                                        entry.raw().offset())));
            }
            if (entry.kind() == LoopEventKind.DELETION) {
                number = 0;
            }
        }
        require(
                taken.equals(expected),
                "journal of %s:%n  is %s%n  must be %s",
                loop,
                taken,
                expected);
        List<String> outcomes = new ArrayList<>();
        for (LoopEvent entry : actual) {
            if (entry.kind() == LoopEventKind.EXAMPLE) {
                outcomes.add(entry.raw().offset() + " " + entry.timeMicros() + entry.outcome());
            }
        }
        List<String> delivered = new ArrayList<>();
        Set<Sent.Place> inJournal = new TreeSet<>();
        taken.forEach(it -> inJournal.add(it.record()));
        for (Checkpoint.LoopInput input : last.loopInputs()) {
            if (input instanceof Taken it
                    && it.event().kind() == LoopEventKind.EXAMPLE
                    && it.event().loop().equals(loop)
                    && inJournal.contains(it.sent().place())) {
                LoopEvent event = it.event();
                delivered.add(event.raw().offset() + " " + event.timeMicros() + event.outcome());
            }
        }
        requireSame("outcomes in the journal of " + loop, outcomes, delivered);
    }

    /** Each example is in every window over it, and time passes only where a window is open. */
    private void verifyWindows() throws Exception {
        long slideMicros = Job.SLIDE.toMillis() * 1_000L;
        long sizeMicros = Job.WINDOW.toMillis() * 1_000L;
        for (Map.Entry<String, List<LoopEvent>> loop : journal.entrySet()) {
            long examples = 0;
            boolean deleted = false;
            long now = Long.MIN_VALUE;
            long openUntil = Long.MIN_VALUE;
            for (LoopEvent entry : loop.getValue()) {
                if (entry.kind() == LoopEventKind.TIME) {
                    require(
                            entry.timeMicros() > now
                                    && entry.timeMicros() <= openUntil
                                    && entry.timeMicros() % slideMicros == 0,
                            "entry %d of %s: time must not pass to %d at %d with windows until %d",
                            entry.sequence(),
                            loop.getKey(),
                            entry.timeMicros(),
                            now,
                            openUntil);
                }
                now = Math.max(now, entry.timeMicros());
                if (entry.kind() == LoopEventKind.EXAMPLE) {
                    examples++;
                    openUntil = Math.floorDiv(now, slideMicros) * slideMicros + sizeMicros;
                } else if (entry.kind() == LoopEventKind.DELETION) {
                    deleted = true;
                    now = Long.MIN_VALUE;
                    openUntil = Long.MIN_VALUE;
                }
            }
            long inWindows = 0;
            for (OutgoingRecord record : written.results()) {
                byte[] value = record.value(); // null for the end of a loop
                if (is(record, Topic.IPS_STATS)
                        && loop.getKey().equals(key(record))
                        && value != null) {
                    inWindows += WINDOWS.decode(value).getN();
                }
            }
            long windowsOfOne = Job.WINDOW.dividedBy(Job.SLIDE);
            require(
                    deleted
                            ? inWindows <= windowsOfOne * examples
                            : inWindows == windowsOfOne * examples,
                    "%d examples of %s are %d times in windows",
                    examples,
                    loop.getKey(),
                    inWindows);
        }
    }

    private static String key(OutgoingRecord record) {
        return new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8);
    }

    /** What was counted is what was written. */
    private void verifyCounts() throws Exception {
        Map<String, Long> counted = new TreeMap<>();
        List<OutgoingRecord> counts = new ArrayList<>(written.counts());
        written.results().stream().filter(it -> is(it, Topic.LOOP_COUNTS)).forEach(counts::add);
        for (OutgoingRecord record : counts) {
            LoopCountsRecord of = COUNTS.decode(Objects.requireNonNull(record.value()));
            if (of.getExamples() > 0) {
                counted.merge(of.getLoop() + " examples", of.getExamples(), Long::sum);
            }
            for (UnusedCountRecord unused : of.getUnused()) {
                counted.merge(
                        (unused.getKind() == UnusedKindRecord.DEAD_LETTER
                                        ? "dead letters "
                                        : of.getLoop() + " " + unused.getKind() + " ")
                                + unused.getRule(),
                        unused.getCount(),
                        Long::sum);
            }
        }
        Map<String, Long> expected = new TreeMap<>();
        for (LoopEvent entry : entries) {
            if (entry.kind() == LoopEventKind.EXAMPLE) {
                expected.merge(entry.loop() + " examples", 1L, Long::sum);
            }
        }
        Map<String, Sent> records = new HashMap<>();
        history.records().forEach(it -> records.put(it.place().toString(), it));
        for (DeadLetterRecord late : written.late()) {
            Sent.Place place = place(late.getTopic(), late.getPartition(), late.getOffset());
            String loop = Objects.requireNonNull(records.get(place.toString())).meaning().loop();
            expected.merge(loop + " LATE " + late.getRule(), 1L, Long::sum);
        }
        for (OutgoingRecord record : written.results()) {
            if (is(record, Topic.DEAD_LETTERS)) {
                DeadLetterRecord letter = LETTERS.decode(Objects.requireNonNull(record.value()));
                expected.merge("dead letters " + letter.getRule(), 1L, Long::sum);
            }
        }
        for (List<Arrival> arrivals : byEvent().values()) {
            int retracted = JoinModel.of(arrivals).retracted();
            if (retracted > 0) {
                String loop = arrivals.get(0).sent().meaning().loop();
                expected.merge(loop + " RETRACTED ", (long) retracted, Long::sum);
            }
        }
        require(counted.equals(expected), "counts:%n  are %s%n  must be %s", counted, expected);
    }

    /** The journal alone gives the same snapshots, rollouts and windows. */
    private void verifyReplay() throws Exception {
        Map<String, List<String>> live = results(written.results());
        Map<String, List<String>> replayed = results(Replay.of(entries, history));
        for (String loop : journal.keySet()) {
            List<String> expected = live.getOrDefault(loop, List.of());
            List<String> actual = replayed.getOrDefault(loop, List.of());
            int same = 0;
            while (same < Math.min(expected.size(), actual.size())
                    && expected.get(same).equals(actual.get(same))) {
                same++;
            }
            require(
                    expected.equals(actual),
                    "the replay of %s differs after %d of %d results:%n  live   %s%n  replay %s",
                    loop,
                    same,
                    expected.size(),
                    expected.subList(same, expected.size()),
                    actual.subList(same, actual.size()));
        }
        verifyVersions(live);
    }

    /** Each version of a loop is published once, in order. */
    private static void verifyVersions(Map<String, List<String>> live) {
        live.forEach(
                (loop, results) -> {
                    long latest = -1;
                    for (String result : results) {
                        if (result.startsWith("policy-snapshots " + loop + "@")) {
                            String[] words = result.split("[@ ]", -1);
                            long version = Long.parseLong(words[2]);
                            boolean tombstone = words[3].equals("null");
                            require(
                                    tombstone || version > latest,
                                    "%s publishes version %d after %d",
                                    loop,
                                    version,
                                    latest);
                            latest = tombstone ? latest : version;
                        } else if (result.equals("rollouts " + loop + " null")) {
                            latest = -1; // deleted
                        }
                    }
                });
    }

    /** Topic, key and bytes of each record, by loop. */
    private static Map<String, List<String>> results(List<OutgoingRecord> records) {
        Map<String, List<String>> results = new TreeMap<>();
        for (OutgoingRecord record : records) {
            for (Topic topic : List.of(Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS, Topic.IPS_STATS)) {
                if (is(record, topic)) {
                    byte[] value = record.value();
                    results.computeIfAbsent(
                                    key(record).replaceFirst("@.*", ""), it -> new ArrayList<>())
                            .add(
                                    topic.suffix()
                                            + " "
                                            + key(record)
                                            + " "
                                            + (value == null
                                                    ? "null"
                                                    : HexFormat.of().formatHex(value)));
                }
            }
        }
        return results;
    }
}
