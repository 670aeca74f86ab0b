package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The loops that are served. One thread adds the records of the topics. Any thread may read a loop,
 * and always gets a consistent one.
 *
 * <p>A record that cannot be used is refused and counted. The last good policy stays in force. A
 * loop or version that is too large is refused as well, and the other loops are served.
 */
public final class PolicyStore {

    /** A loop, and perhaps a version. Other keys are not logged, because they may be user data. */
    private static final Pattern KEY =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}(@(\\d{1,18}|spec))?");

    private final Map<String, ServedLoop> served = new ConcurrentHashMap<>();
    private final SortedMap<String, ServedLoop> byName = new ConcurrentSkipListMap<>(); // the same
    private final Map<String, ServedLoop> degraded = new ConcurrentHashMap<>();
    private final Map<String, String> refusedLoops = new ConcurrentHashMap<>();
    private final PolicyLimits limits;
    private final PolicyMemory memory;
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong swaps = new AtomicLong();
    private final CopyOnWriteArrayList<Consumer<ServedLoop>> listeners =
            new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Consumer<String>> removals = new CopyOnWriteArrayList<>();
    private final Consumer<String> log;

    // Used only by the thread that adds records.
    private final Map<String, LoopHistory> histories = new HashMap<>();
    private final TreeSet<String> touched = new TreeSet<>();
    private final Set<String> deleted = new HashSet<>(); // served loops; others may replace them
    private final Map<String, String> missing = new HashMap<>(); // reasons, by loop@version
    private final SnapshotLoader loader;
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final Set<String> spare = new HashSet<>(); // loops with weights that nothing names
    private final Set<String> lacking = new HashSet<>(); // loops that lack memory
    private final Map<String, Waiting> waiting = new LinkedHashMap<>(); // specs that lack memory
    private long waitingBytes;
    private long shortAt; // most memory in use when one of them lacked it; 0 if none does
    private boolean reading; // the topics from the beginning

    /**
     * A spec that lacks memory.
     *
     * @param bytes what its starting policy takes
     * @param size of its record
     * @param read reads it again
     */
    private record Waiting(long bytes, int size, Runnable read) {}

    /**
     * @param log receives a message about each refused record
     */
    public PolicyStore(PolicyLimits limits, SnapshotDirectory files, Consumer<String> log) {
        this.limits = limits;
        this.memory = new PolicyMemory(limits);
        this.loader = new SnapshotLoader(limits, files);
        this.log = log;
    }

    /** A loop as it is served now. */
    public Optional<ServedLoop> loop(String name) {
        return Optional.ofNullable(served.get(name));
    }

    /** A view of all loops, in the order of names. It changes with the store. */
    public SortedMap<String, ServedLoop> loops() {
        return Collections.unmodifiableSortedMap(byName);
    }

    /** The number of loops. */
    public int size() {
        return served.size();
    }

    /** Loops that are not served by the versions or the spec that their rollout names. */
    public Map<String, ServedLoop> degraded() {
        return Collections.unmodifiableMap(degraded);
    }

    /** Loops that are not served because they are too large, with the reasons. */
    public Map<String, String> refusedLoops() {
        return Collections.unmodifiableMap(refusedLoops);
    }

    public PolicyLimits limits() {
        return limits;
    }

    /** Why there is no memory for one version of a new loop; empty if there is. */
    public Optional<String> shortage(LoopSpec spec) {
        long bytes = spec.shape().parameterCount() * Float.BYTES;
        return memory.hasRoom(bytes) ? Optional.empty() : Optional.of(memory.shortage(bytes));
    }

    /** Memory for the policies of all loops, in bytes. */
    public long usedBytes() {
        return memory.used();
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

    /**
     * Calls the listener with the name of each loop that is no longer served, on that thread. A
     * loop that was deleted and created again is removed first.
     */
    public void onRemoval(Consumer<String> listener) {
        removals.add(listener);
    }

    public void removeListener(Consumer<ServedLoop> listener) {
        listeners.remove(listener);
    }

    /** Called before the topics are read from the beginning. All that is served stays. */
    void readAgain() {
        reading = true;
        waiting.clear();
        waitingBytes = 0;
        histories.values().forEach(LoopHistory::readAgain);
    }

    /** Adds a record of the topic of specs. A record without a value deletes the loop. */
    public void takeSpec(String key, byte @Nullable [] value) {
        if (value == null) {
            forgetWaiting(key);
            forget(key, LoopHistory::delete);
            ServedLoop loop = served.get(key);
            LoopHistory history = histories.get(key);
            if (loop != null && history != null && history.hasDeleted(loop.newestSpec())) {
                deleted.add(key);
            }
            return;
        }
        readSpec("spec", key, value, LoopHistory::add);
    }

    private void readSpec(
            String what, String key, byte[] value, BiConsumer<LoopHistory, LoopSpec> target) {
        forgetWaiting(key);
        try {
            LoopSpecRecord record = specs.decode(value);
            LoopHistory history = history(record.getLoop());
            Optional<LoopSpec> known = history.spec(record.getVersion(), record.getTime());
            Optional<String> tooLarge = known.isPresent() ? Optional.empty() : tooLarge(record);
            if (tooLarge.isPresent()) {
                history.refuse(tooLarge.get());
                refuse(what, key, tooLarge.get());
                return;
            }
            long bytes = known.isPresent() ? 0 : startingParameters(record) * Float.BYTES;
            if (!makeRoom(bytes)) {
                String reason = "its starting policy has no room: " + memory.shortage(bytes);
                history.refuse(reason);
                refuse(what, key, reason);
                Runnable again = () -> readSpec(what, key, value, target);
                waitForRoom(key, new Waiting(bytes, value.length, again));
                return;
            }
            target.accept(history, known.orElseGet(() -> LoopSpecConversion.fromRecord(record)));
            recount(history);
        } catch (UndecodableRecordException | RuntimeException e) {
            refuse(what, key, e);
        }
    }

    /** Why the loop of a spec is too large to be served; empty if it is not. */
    private Optional<String> tooLarge(LoopSpecRecord record) {
        try {
            limits.requireVersion(startingParameters(record));
            limits.requireVersion(LoopSpecConversion.parameterCount(record));
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    private static long startingParameters(LoopSpecRecord record) {
        PolicySnapshotRecord start = record.getStartingPolicy();
        return start == null ? 0 : SnapshotConversion.parameterCount(start);
    }

    /** Keeps a spec until there is memory. All that wait take at most as much as one version. */
    private void waitForRoom(String key, Waiting spec) {
        if (waitingBytes + spec.size() <= limits.loopBytes()) {
            waiting.put(key, spec);
            waitingBytes += spec.size();
            shortAt = Math.max(shortAt, memory.used());
        }
    }

    private void forgetWaiting(String key) {
        Waiting spec = waiting.remove(key);
        if (spec != null) {
            waitingBytes -= spec.size();
        }
    }

    private void readWaiting() {
        for (Waiting spec : List.copyOf(waiting.values())) {
            if (makeRoom(spec.bytes())) {
                spec.read().run();
            } else {
                shortAt = Math.max(shortAt, memory.used());
            }
        }
    }

    /** Updates the memory in use after a change. */
    private void recount(LoopHistory history) {
        memory.change(history.countedBytes(), history.count());
    }

    /** Whether there is memory, if need be after letting go weights that nothing names. */
    private boolean makeRoom(long bytes) {
        if (bytes > 0 && !memory.hasRoom(bytes)) {
            for (String name : spare) {
                LoopHistory history = histories.get(name);
                if (history != null) {
                    history.forgetSpare();
                    recount(history);
                }
            }
            spare.clear();
        }
        return bytes == 0 || memory.hasRoom(bytes);
    }

    private void forget(String loop, Consumer<LoopHistory> part) {
        LoopHistory history = histories.get(loop);
        if (history != null) {
            part.accept(history);
            recount(history);
            touched.add(loop);
        }
    }

    /**
     * Adds a record of the topic of rollouts: the rollout of a loop, or the spec in force. The job
     * deletes those of a deleted loop.
     */
    public void takeRollout(String key, byte @Nullable [] value) {
        Optional<String> ofSpec = RolloutConversion.loopOfSpecKey(key);
        if (ofSpec.isPresent()) {
            if (value == null) {
                forgetWaiting(key);
                forget(ofSpec.get(), LoopHistory::deleteSpecInForce);
            } else {
                readSpec("spec in force", key, value, LoopHistory::putInForce);
            }
            return;
        }
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
                PolicySnapshotRecord stored = loader.load(record);
                KnownVersion known = known(record, stored);
                history.add(
                        known,
                        makeRoom(known.parameterBytes())
                                ? Optional.of(SnapshotConversion.fromRecord(stored))
                                : Optional.empty());
                spare.add(record.getLoop());
                recount(history);
            }
            history.put(record.getVersion(), place);
        } catch (NoSuchFileException e) {
            // The job deletes the file of an old version, and compaction its record later.
            missing.put(key, "its file does not exist: " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            refuse("snapshot", key, e);
        }
    }

    /**
     * @param stored the record with the weights, which may come from a file
     */
    private static KnownVersion known(PolicySnapshotRecord record, PolicySnapshotRecord stored) {
        return new KnownVersion(
                record.getVersion(),
                record.getChecksum(),
                record.getCreatedAt(),
                SnapshotConversion.parameterCount(stored) * Float.BYTES,
                SnapshotDescription.of(stored),
                Optional.empty());
    }

    private LoopHistory history(String loop) {
        touched.add(loop);
        return histories.computeIfAbsent(loop, LoopHistory::new);
    }

    private void refuse(String what, String key, Exception reason) {
        refuse(what, key, String.valueOf(reason.getMessage()));
    }

    private void refuse(String what, String key, String reason) {
        refused.incrementAndGet();
        log.accept(
                KEY.matcher(key).matches()
                        ? "refused a %s with key %s: %s".formatted(what, key, reason)
                        : "refused a %s whose key is not of a loop: %s".formatted(what, reason));
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
        serveTouched(weights);
        if (memory.used() < shortAt) { // something has been let go
            shortAt = 0;
            readWaiting();
            touched.addAll(lacking);
            lacking.clear();
            serveTouched(weights);
        }
    }

    private void serveTouched(LoopHistory.Weights weights) {
        touched.forEach(name -> serve(name, weights));
        touched.clear();
    }

    private void serve(String name, LoopHistory.Weights weights) {
        LoopHistory history = histories.get(name);
        boolean replaced = deleted.remove(name);
        if (history == null || !history.hasSpec()) { // without a spec it cannot decide
            remove(name);
            Optional<String> refusal = history == null ? Optional.empty() : history.refusal();
            refusal.ifPresentOrElse(
                    reason -> refusedLoops.put(name, reason), () -> refusedLoops.remove(name));
            if (history != null && history.isEmpty()) {
                histories.remove(name);
            }
            return;
        }
        if (replaced) {
            removals.forEach(listener -> listener.accept(name));
        }
        ServedLoop loop = history.serve(version -> ifRoom(history, version, weights));
        recount(history);
        refusedLoops.remove(name);
        if (loop.degradedReason().isPresent()) {
            degraded.put(name, loop);
        } else {
            degraded.remove(name);
        }
        served.put(name, loop);
        byName.put(name, loop);
        swaps.incrementAndGet();
        listeners.forEach(listener -> listener.accept(loop));
    }

    private void remove(String name) {
        degraded.remove(name);
        byName.remove(name);
        if (served.remove(name) != null) {
            removals.forEach(listener -> listener.accept(name));
        }
    }

    /** Reads the weights of a version that decides or may decide next, if there is memory. */
    private Optional<PolicySnapshot> ifRoom(
            LoopHistory history, KnownVersion version, LoopHistory.Weights weights) {
        recount(history);
        if (makeRoom(version.parameterBytes())) {
            return weights.read(version);
        }
        String reason = memory.shortage(version.parameterBytes());
        if (history.lacks(version, reason)) {
            refuse("snapshot", history.name() + "@" + version.version(), reason);
        }
        lacking.add(history.name());
        shortAt = Math.max(shortAt, memory.used());
        return Optional.empty();
    }

    /** Decodes the weights of a version that was read again. */
    PolicySnapshot reload(byte[] value, KnownVersion version) throws IOException {
        PolicySnapshotRecord record = loader.decode(value);
        if (record.getVersion() != version.version()
                || !record.getChecksum().equals(version.checksum())) {
            throw new IOException("there is another snapshot at its offset");
        }
        return SnapshotConversion.fromRecord(loader.load(record));
    }

    /** Replaces the loops that have new records, without reading weights again. */
    public void swap() {
        swap(version -> Optional.empty());
    }
}
