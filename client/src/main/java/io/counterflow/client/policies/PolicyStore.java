package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The loops that are served. One thread adds the records of the topics. Any thread may read a loop,
 * and always gets a consistent one.
 *
 * <p>A record that cannot be used is refused and counted. The last good policy stays in force.
 */
public final class PolicyStore {

    private final Map<String, ServedLoop> served = new ConcurrentHashMap<>();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong swaps = new AtomicLong();
    private final CopyOnWriteArrayList<Consumer<ServedLoop>> listeners =
            new CopyOnWriteArrayList<>();
    private final Consumer<String> log;

    // Used only by the thread that adds records.
    private final Map<String, LoopHistory> histories = new HashMap<>();
    private final TreeSet<String> touched = new TreeSet<>();
    private final Map<String, String> missing = new HashMap<>(); // reasons, by loop@version
    private final SnapshotLoader loader = new SnapshotLoader();
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private boolean reading; // the topics from the beginning

    /**
     * @param log receives a message about each refused record
     */
    public PolicyStore(Consumer<String> log) {
        this.log = log;
    }

    /** A loop as it is served now. */
    public Optional<ServedLoop> loop(String name) {
        return Optional.ofNullable(served.get(name));
    }

    public SortedMap<String, ServedLoop> loops() {
        return new TreeMap<>(served);
    }

    public long refused() {
        return refused.get();
    }

    /** How often a served loop was replaced. */
    public long swaps() {
        return swaps.get();
    }

    /** Calls the listener for each replaced loop, on the thread that adds records. */
    public void onSwap(Consumer<ServedLoop> listener) {
        listeners.add(listener);
    }

    public void removeListener(Consumer<ServedLoop> listener) {
        listeners.remove(listener);
    }

    /** Called before the topics are read from the beginning. All that is served stays. */
    void readAgain() {
        reading = true;
        histories.values().forEach(LoopHistory::forgetSpecs);
    }

    /** Adds a record of the topic of specs. A record without a value deletes the loop. */
    public void takeSpec(String key, byte @Nullable [] value) {
        if (value == null) {
            forget(key, LoopHistory::delete);
            return;
        }
        try {
            LoopSpec spec = LoopSpecConversion.fromRecord(specs.decode(value));
            history(spec.loop()).add(spec);
        } catch (UndecodableRecordException | RuntimeException e) {
            refuse("spec", key, e);
        }
    }

    private void forget(String loop, Consumer<LoopHistory> part) {
        LoopHistory history = histories.get(loop);
        if (history != null) {
            part.accept(history);
            touched.add(loop);
        }
    }

    /** Adds a record of the topic of rollouts. The job deletes those of a deleted loop. */
    public void takeRollout(String key, byte @Nullable [] value) {
        if (value == null) {
            forget(key, LoopHistory::deleteRollout);
            return;
        }
        try {
            RolloutRecord record = rollouts.decode(value);
            history(record.getLoop()).add(record);
        } catch (UndecodableRecordException | RuntimeException e) {
            refuse("rollout", key, e);
        }
    }

    /**
     * Adds a record of the topic of snapshots. Each snapshot is written twice, with the keys {@code
     * loop} and {@code loop@version}. Only the second one is used: it comes in order with the
     * deletion of its version.
     */
    public void takeSnapshot(String key, byte @Nullable [] value, KnownVersion.Place place) {
        int at = key.lastIndexOf('@');
        if (at < 0 || !key.substring(at + 1).matches("\\d{1,18}")) {
            return;
        }
        missing.remove(key);
        if (value == null) {
            long version = Long.parseLong(key.substring(at + 1));
            forget(key.substring(0, at), history -> history.forgetVersion(version));
            return;
        }
        try {
            PolicySnapshotRecord record = loader.decode(value);
            if (!key.equals(record.getLoop() + "@" + record.getVersion())) {
                throw new IOException("the snapshot has another key than its loop and version");
            }
            LoopHistory history = history(record.getLoop());
            if (!history.knows(record.getVersion(), record.getChecksum())) {
                PolicySnapshot snapshot = loader.load(record);
                history.add(known(record, snapshot), snapshot);
            }
            history.put(record.getVersion(), place);
        } catch (NoSuchFileException e) {
            // The job deletes the file of an old version, and compaction its record later.
            missing.put(key, "its file does not exist: " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            refuse("snapshot", key, e);
        }
    }

    private static KnownVersion known(PolicySnapshotRecord record, PolicySnapshot snapshot) {
        return new KnownVersion(
                snapshot.version(),
                record.getChecksum(),
                record.getCreatedAt(),
                SnapshotJson.toJson(snapshot, false),
                Optional.empty());
    }

    private LoopHistory history(String loop) {
        touched.add(loop);
        return histories.computeIfAbsent(loop, name -> new LoopHistory());
    }

    private void refuse(String what, String key, Exception reason) {
        refuse(what, key, String.valueOf(reason.getMessage()));
    }

    private void refuse(String what, String key, String reason) {
        refused.incrementAndGet();
        log.accept("refused a %s with key %s: %s".formatted(what, key, reason));
    }

    /**
     * Replaces the loops that have new records.
     *
     * @param weights reads versions whose weights are no longer in memory
     */
    void swap(LoopHistory.Weights weights) {
        missing.forEach((key, reason) -> refuse("snapshot", key, reason));
        missing.clear();
        if (reading) { // the deletion of a loop may have been removed by compaction
            touched.addAll(histories.keySet());
            reading = false;
        }
        for (String name : touched) {
            LoopHistory history = histories.get(name);
            if (history != null && history.hasSpec()) {
                ServedLoop loop = history.serve(weights);
                served.put(name, loop);
                swaps.incrementAndGet();
                listeners.forEach(listener -> listener.accept(loop));
            } else { // without a spec it cannot decide
                served.remove(name);
                if (history != null && history.isEmpty()) {
                    histories.remove(name);
                }
            }
        }
        touched.clear();
    }

    /** Decodes the weights of a version that was read again. */
    PolicySnapshot reload(byte[] value, KnownVersion version) throws IOException {
        PolicySnapshotRecord record = loader.decode(value);
        if (record.getVersion() != version.version()
                || !record.getChecksum().equals(version.checksum())) {
            throw new IOException("there is another snapshot at its offset");
        }
        return loader.load(record);
    }

    /** Replaces the loops that have new records, without reading weights again. */
    public void swap() {
        swap(version -> Optional.empty());
    }
}
