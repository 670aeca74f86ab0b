package io.counterflow.flink.state;

import io.counterflow.core.numeric.Require;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the most recently used loops on the heap. A changed value is written to the store at a
 * checkpoint or when it is evicted, not for each record.
 *
 * <p>The operator calls {@link #writeBack} in {@code snapshotState}, before the backend takes its
 * snapshot. After a failure the cache starts empty, with the state of that snapshot. So results do
 * not depend on the size of the cache.
 *
 * <p>Every call may write other loops and change the current key of the state backend. Set the key
 * again before using keyed state or timers.
 *
 * @param <V> a mutable value
 */
public final class WriteBackCache<V> {

    private static final class Entry<V> {
        final V value;
        long weight;
        boolean dirty;

        Entry(V value, long weight) {
            this.value = value;
            this.weight = weight;
        }
    }

    private final LoopStore<V> store;
    private final long maxWeight;
    private final Map<String, Entry<V>> entries =
            new LinkedHashMap<>(16, 0.75f, true); // least recently used first
    private long weight;

    /**
     * @param maxWeight maximum heap of all values together, as the store estimates it; the value in
     *     use stays even if it is larger
     */
    public WriteBackCache(long maxWeight, LoopStore<V> store) {
        Require.atLeast(1, maxWeight, "maxWeight");
        this.maxWeight = maxWeight;
        this.store = store;
    }

    /**
     * The value of a loop; loads it if it is not in memory. The caller may use it until the next
     * call for another loop, which may evict it.
     */
    public V get(String loop) throws Exception {
        Entry<V> entry = entries.get(loop);
        if (entry == null) {
            V value = store.load(loop);
            entry = new Entry<>(value, store.weigh(value));
            entries.put(loop, entry);
            weight += entry.weight;
            makeRoom();
        }
        return entry.value;
    }

    /**
     * Marks the value of a loop as changed, so that it is written.
     *
     * @throws IllegalStateException if the loop is not in memory: the change would be lost
     */
    public void changed(String loop) throws Exception {
        Entry<V> entry = entries.get(loop);
        if (entry == null) {
            throw new IllegalStateException("loop " + loop + " has changed but is not in memory");
        }
        entry.dirty = true;
        long now = store.weigh(entry.value);
        weight += now - entry.weight;
        entry.weight = now;
        makeRoom();
    }

    /** Evicts the least recently used loops. The loop in use is the last one and stays. */
    private void makeRoom() throws Exception {
        if (weight <= maxWeight) {
            return;
        }
        Iterator<Map.Entry<String, Entry<V>>> eldest = entries.entrySet().iterator();
        for (int left = entries.size(); left > 1 && weight > maxWeight; left--) {
            Map.Entry<String, Entry<V>> next = eldest.next();
            write(next.getKey(), next.getValue());
            eldest.remove(); // after the write, so that a value that could not be written is kept
            weight -= next.getValue().weight;
        }
    }

    private void write(String loop, Entry<V> entry) throws Exception {
        if (entry.dirty) {
            store.write(loop, entry.value);
            entry.dirty = false;
        }
    }

    /** Writes all changed values. They stay in memory. */
    public void writeBack() throws Exception {
        for (Map.Entry<String, Entry<V>> entry : entries.entrySet()) {
            write(entry.getKey(), entry.getValue());
        }
    }

    /** Removes a loop without writing it. The caller clears its state. */
    public void forget(String loop) {
        @Nullable Entry<V> entry = entries.remove(loop);
        if (entry != null) {
            weight -= entry.weight;
        }
    }

    /** Number of loops in memory. */
    public int size() {
        return entries.size();
    }

    /** Their heap, in bytes. */
    public long weight() {
        return weight;
    }
}
