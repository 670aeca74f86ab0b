package io.counterflow.flink.loop;

import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.JournalEntries;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SnapshotFiles;
import io.counterflow.flink.sinks.SnapshotPublication;
import io.counterflow.flink.windows.WindowMetrics;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects what comes of one event: its entry of the journal, windows, snapshots and changes of the
 * rollout. They are emitted after the loop has processed the event, so that a loop that fails emits
 * no half of its results.
 */
final class LoopEmitter {

    private static final Set<RolloutChange.Kind> PUTS_SPEC_INTO_FORCE =
            EnumSet.of(RolloutChange.Kind.STARTED, RolloutChange.Kind.SPEC_CHANGED);

    private final Topics topics;
    private final boolean writesJournal;
    private final SnapshotPublication snapshots;
    private final SnapshotFiles files;
    private final LoopMetrics metrics;
    private final WindowMetrics windowMetrics;
    private final JournalEntries journal = new JournalEntries();
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);
    private final WireCodec<IpsWindowRecord> windows = WireCodec.of(IpsWindowRecord.class);
    private final WireCodec<DeadLetterRecord> letters = WireCodec.of(DeadLetterRecord.class);
    private final List<OutgoingRecord> records = new ArrayList<>();
    private int entries;

    /**
     * @param topics the topics to write to
     * @param writesJournal whether entries of the journal are written; a replay writes none
     */
    LoopEmitter(
            Topics topics,
            boolean writesJournal,
            SnapshotPublication snapshots,
            SnapshotFiles files,
            LoopMetrics metrics,
            WindowMetrics windowMetrics) {
        this.topics = topics;
        this.writesJournal = writesJournal;
        this.snapshots = snapshots;
        this.files = files;
        this.metrics = metrics;
        this.windowMetrics = windowMetrics;
    }

    WindowMetrics windowMetrics() {
        return windowMetrics;
    }

    /** Adds the entry of the journal of an event, before anything that comes of it. */
    void entry(LoopEvent event, long sequence) {
        if (writesJournal) {
            add(Topic.JOURNAL, event.loop(), journal.encode(event, sequence));
            entries = records.size();
        }
    }

    /**
     * Adds the records of windows that have ended, with what the loop knows at their end.
     *
     * @param state the loop before the event that ends them
     */
    void windows(String loop, List<List<IpsWindowRecord>> ended, LearningLoop state) {
        if (ended.isEmpty()) {
            return;
        }
        @Nullable HoldoutRecord holdout = HoldoutRecords.of(state.holdout());
        for (List<IpsWindowRecord> versions : ended) {
            for (IpsWindowRecord version : versions) {
                version.setChangesFound(state.learner().changesFound());
                version.setHoldout(holdout);
                add(Topic.IPS_STATS, loop, windows.encode(version));
            }
            windowMetrics.ended(loop, versions);
        }
    }

    /**
     * Takes the snapshots and rollout changes of a loop that an event causes at a time.
     *
     * @param startedMicros when the loop started
     */
    LoopOutput resultsOf(LoopEvent event, LearningLoop loop, long timeMicros, long startedMicros) {
        return new LoopOutput() {
            @Override
            public void frozen(Candidate candidate) {
                metrics.snapshot(Math.floorDiv(timeMicros, 1_000L));
                snapshots
                        .publish(
                                Snapshots.of(candidate, loop.spec(), instant(timeMicros)),
                                topics.name(Topic.POLICY_SNAPSHOTS),
                                records::add)
                        .ifPresent(file -> files.add(candidate.version(), file));
            }

            @Override
            public void forgotten(long version) {
                tombstone(loop.spec().loop(), version);
            }

            @Override
            public void changed(RolloutChange change) {
                LoopSpec spec = loop.spec();
                metrics.changed(change.kind());
                if (PUTS_SPEC_INTO_FORCE.contains(change.kind())) {
                    add(
                            Topic.ROLLOUTS,
                            RolloutConversion.specKey(spec.loop()),
                            specs.encode(LoopSpecConversion.toRecord(spec)));
                }
                RolloutRecord record =
                        RolloutConversion.toRecord(
                                change,
                                spec.loop(),
                                timeMicros,
                                spec.get(LoopSettings.ROLLOUT_MODE),
                                commandId(event),
                                spec.version());
                record.setLoopStartedAt(instant(startedMicros));
                record.setRequestedBy(requestedBy(event));
                add(Topic.ROLLOUTS, spec.loop(), rollouts.encode(record));
            }
        };
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static Optional<String> commandId(LoopEvent event) {
        return event.kind() == LoopEventKind.COMMAND ? Optional.of(event.id()) : Optional.empty();
    }

    /** Who asked for a command; null for other events, and if the command does not say it. */
    private @Nullable String requestedBy(LoopEvent event) {
        byte[] value = event.raw().value();
        if (event.kind() != LoopEventKind.COMMAND || value == null) {
            return null;
        }
        try {
            String name = commands.decode(value).getRequestedBy();
            return name.isEmpty() ? null : name;
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("a command was let in but does not decode", e);
        }
    }

    /** Adds the dead letter of an event. */
    void letter(DeadLetterRecord letter) {
        byte[] key = letter.getKey() == null ? null : letter.getKey().array();
        records.add(
                new OutgoingRecord(topics.name(Topic.DEAD_LETTERS), key, letters.encode(letter)));
    }

    /** Adds the tombstones of a deleted loop. */
    void tombstones(String loop, Iterable<Long> versions) {
        add(Topic.ROLLOUTS, loop, null);
        add(Topic.ROLLOUTS, RolloutConversion.specKey(loop), null);
        add(Topic.IPS_STATS, loop, null); // the windows before it are not of a later loop
        add(Topic.POLICY_SNAPSHOTS, loop, null);
        for (long version : versions) {
            tombstone(loop, version);
        }
    }

    /** A version that can never decide again leaves the topic, and then its file is deleted. */
    private void tombstone(String loop, long version) {
        add(Topic.POLICY_SNAPSHOTS, SnapshotPublication.versionKey(loop, version), null);
        files.remove(version);
    }

    private void add(Topic topic, String key, byte @Nullable [] value) {
        records.add(
                new OutgoingRecord(
                        topics.name(topic), key.getBytes(StandardCharsets.UTF_8), value));
    }

    /**
     * Drops what came of an event, except for its entry and tombstones: the versions are removed
     * from the state already.
     */
    void dropResults() {
        records.subList(entries, records.size()).removeIf(record -> record.value() != null);
    }

    /** Emits all records. */
    void flush(Consumer<OutgoingRecord> output) {
        records.forEach(output);
        records.clear();
        entries = 0;
    }
}
