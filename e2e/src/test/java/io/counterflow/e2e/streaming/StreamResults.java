package io.counterflow.e2e.streaming;

import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The committed records that a run has written, byte for byte. */
public final class StreamResults {

    private static final String TOMBSTONE = "deleted";

    private final Map<String, List<String>> snapshots = new TreeMap<>();
    private final Map<String, List<String>> rollouts = new TreeMap<>();
    private final Map<String, List<String>> windows = new TreeMap<>();
    private final Map<String, Integer> kinds = new TreeMap<>();
    private final WireCodec<RolloutRecord> codec = WireCodec.of(RolloutRecord.class);

    public void addSnapshot(ConsumerRecord<byte[], byte[]> record) {
        add(snapshots, record);
    }

    public void addRollout(ConsumerRecord<byte[], byte[]> record) {
        add(rollouts, record);
        if (record.value() == null || !codec.accepts(record.value())) {
            return; // a tombstone, or the spec in force
        }
        try {
            kinds.merge(codec.decode(record.value()).getKind().name(), 1, Integer::sum);
        } catch (UndecodableRecordException e) {
            throw new AssertionError("a rollout that does not decode", e);
        }
    }

    public void addWindow(ConsumerRecord<byte[], byte[]> record) {
        add(windows, record);
    }

    private static void add(Map<String, List<String>> to, ConsumerRecord<byte[], byte[]> record) {
        to.computeIfAbsent(
                        new String(record.key(), StandardCharsets.UTF_8), key -> new ArrayList<>())
                .add(record.value() == null ? TOMBSTONE : HexFormat.of().formatHex(record.value()));
    }

    /** Snapshots by key, with tombstones: one key for the loop, and one for each version. */
    public Map<String, List<String>> snapshots() {
        return snapshots;
    }

    /** The snapshots that have a key of their own, without tombstones. */
    public Map<String, List<String>> versions() {
        Map<String, List<String>> versions = new TreeMap<>();
        snapshots.forEach(
                (key, records) -> {
                    List<String> published =
                            records.stream().filter(it -> !it.equals(TOMBSTONE)).toList();
                    if (key.contains("@") && !published.isEmpty()) {
                        versions.put(key, published);
                    }
                });
        return versions;
    }

    /** The versions that are deleted from the topic. */
    List<String> forgotten() {
        return snapshots.entrySet().stream()
                .filter(it -> it.getValue().contains(TOMBSTONE))
                .map(Map.Entry::getKey)
                .toList();
    }

    public Map<String, List<String>> rollouts() {
        return rollouts;
    }

    public Map<String, List<String>> windows() {
        return windows;
    }

    public int count(String kind) {
        return kinds.getOrDefault(kind, 0);
    }
}
