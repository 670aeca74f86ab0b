package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
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
 * The loops that are served. One thread tells it what the topics say; any thread may ask, and gets
 * what belongs together.
 *
 * <p>What cannot be used is refused, counted, and changes nothing: the last good policy stays.
 */
public final class PolicyStore {

    private final Map<String, ServedLoop> served = new ConcurrentHashMap<>();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong swaps = new AtomicLong();
    private final CopyOnWriteArrayList<Consumer<ServedLoop>> listeners =
            new CopyOnWriteArrayList<>();
    private final Consumer<String> log;

    // What follows belongs to the thread that tells.
    private final Map<String, LoopHistory> books = new HashMap<>();
    private final TreeSet<String> touched = new TreeSet<>();
    private final SnapshotLoader loader = new SnapshotLoader();
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
    private final WireCodec<HeartbeatRecord> heartbeats = WireCodec.of(HeartbeatRecord.class);

    /**
     * @param log where refusals are told in words
     */
    public PolicyStore(Consumer<String> log) {
        this.log = log;
    }

    /** One loop as it is served now. */
    public Optional<ServedLoop> loop(String name) {
        return Optional.ofNullable(served.get(name));
    }

    /** All loops by name. */
    public SortedMap<String, ServedLoop> loops() {
        return new TreeMap<>(served);
    }

    /** Records that were refused since the start. */
    public long refused() {
        return refused.get();
    }

    /** How often what is served was exchanged. */
    public long swaps() {
        return swaps.get();
    }

    /** Tells every loop that is exchanged from now on, on the thread that follows the topics. */
    public void onSwap(Consumer<ServedLoop> listener) {
        listeners.add(listener);
    }

    /** No more telling. */
    public void removeListener(Consumer<ServedLoop> listener) {
        listeners.remove(listener);
    }

    /** Takes a record of the topic of specs. Without a value, the loop is gone. */
    public void takeSpec(String key, byte @Nullable [] value) {
        if (value == null) {
            books.remove(key);
            served.remove(key);
            touched.remove(key);
            return;
        }
        if (heartbeats.accepts(value)) {
            return;
        }
        try {
            LoopSpec spec = LoopSpecConversion.fromRecord(specs.decode(value));
            book(spec.loop()).add(spec);
        } catch (UndecodableRecordException | RuntimeException e) {
            refuse("spec", key, e);
        }
    }

    /** Takes a record of the topic of rollouts. */
    public void takeRollout(String key, byte @Nullable [] value) {
        if (value == null || heartbeats.accepts(value)) {
            return;
        }
        try {
            RolloutRecord record = rollouts.decode(value);
            book(record.getLoop()).add(record);
        } catch (UndecodableRecordException | RuntimeException e) {
            refuse("rollout", key, e);
        }
    }

    /**
     * Takes a record of the topic of snapshots. Each one comes twice, under the loop's name and
     * under {@code loop@version}; it is verified once.
     */
    public void takeSnapshot(String key, byte @Nullable [] value, KnownVersion.Place place) {
        if (value == null || heartbeats.accepts(value)) {
            return;
        }
        try {
            PolicySnapshotRecord record = loader.decode(value);
            boolean ofOneVersion = key.endsWith("@" + record.getVersion());
            LoopHistory book = book(record.getLoop());
            if (!book.knows(record.getVersion(), record.getChecksum())) {
                PolicySnapshot snapshot = loader.load(record);
                book.add(known(record, snapshot), snapshot);
            }
            if (ofOneVersion) { // under the loop's name alone the next one takes its place
                book.put(record.getVersion(), place);
            }
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

    private LoopHistory book(String loop) {
        touched.add(loop);
        return books.computeIfAbsent(loop, name -> new LoopHistory());
    }

    private void refuse(String what, String key, Exception reason) {
        refused.incrementAndGet();
        log.accept("refused a %s with key %s: %s".formatted(what, key, reason.getMessage()));
    }

    /**
     * Exchanges the loops about which something new was said, each at once.
     *
     * @param weights for versions whose weights have been let go
     */
    void swap(LoopHistory.Weights weights) {
        for (String name : touched) {
            LoopHistory book = books.get(name);
            if (book != null && book.hasSpec()) { // without one, nobody knows how to decide
                ServedLoop loop = book.serve(weights);
                served.put(name, loop);
                swaps.incrementAndGet();
                listeners.forEach(listener -> listener.accept(loop));
            }
        }
        touched.clear();
    }

    /** The weights of a version, read again from where it lies. */
    PolicySnapshot reload(byte[] value, KnownVersion version) throws IOException {
        PolicySnapshotRecord record = loader.decode(value);
        if (record.getVersion() != version.version()
                || !record.getChecksum().equals(version.checksum())) {
            throw new IOException("another snapshot lies there now");
        }
        return loader.load(record);
    }

    /** The same where weights that have been let go cannot be read again. */
    public void swap() {
        swap(version -> Optional.empty());
    }
}
