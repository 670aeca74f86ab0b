package io.counterflow.flink.state;

import io.counterflow.core.numeric.Require;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of the loops that were used last, on the heap. What changed is written to its store when a
 * checkpoint is taken, or when it makes room for others, and not at each record.
 *
 * <p>The operator calls {@link #writeBack} in {@code snapshotState}, before the backend takes its
 * snapshot; after a failure the cache begins empty, at the state of that snapshot. So results do
 * not depend on the size of the cache.
 *
 * <p>Any call may write other loops and so leave another current key in the state backend: whoever
 * uses keyed state or timers afterwards sets the key again.
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
     * @param maxWeight heap that all values may take together, as the store weighs them; the one in
     *     use stays even when it is heavier
     */
    public WriteBackCache(long maxWeight, LoopStore<V> store) {
        Require.atLeast(1, maxWeight, "maxWeight");
        this.maxWeight = maxWeight;
        this.store = store;
    }

    /**
     * The value of a loop, loaded if it is not at hand. It belongs to the caller until the next
     * call for another loop: that may write it and forget it.
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
     * Says that the value of a loop has changed, so that it will be written.
     *
     * @throws IllegalStateException if the loop is not at hand: the change would be lost
     */
    public void changed(String loop) throws Exception {
        Entry<V> entry = entries.get(loop);
        if (entry == null) {
            throw new IllegalStateException("loop " + loop + " has changed but is not at hand");
        }
        entry.dirty = true;
        long now = store.weigh(entry.value);
        weight += now - entry.weight;
        entry.weight = now;
        makeRoom();
    }

    /** The least recently used go first; the loop in use is the last and stays. */
    private void makeRoom() throws Exception {
        if (weight <= maxWeight) {
            return;
        }
        Iterator<Map.Entry<String, Entry<V>>> eldest = entries.entrySet().iterator();
        for (int left = entries.size(); left > 1 && weight > maxWeight; left--) {
            Map.Entry<String, Entry<V>> next = eldest.next();
            write(next.getKey(), next.getValue());
            eldest.remove(); // after the write: what could not be written is not forgotten
            weight -= next.getValue().weight;
        }
    }

    private void write(String loop, Entry<V> entry) throws Exception {
        if (entry.dirty) {
            store.write(loop, entry.value);
            entry.dirty = false;
        }
    }

    /** Writes all that has changed; everything stays at hand. */
    public void writeBack() throws Exception {
        for (Map.Entry<String, Entry<V>> entry : entries.entrySet()) {
            write(entry.getKey(), entry.getValue());
        }
    }

    /** Forgets a loop without writing it; the caller clears what is kept of it. */
    public void forget(String loop) {
        @Nullable Entry<V> entry = entries.remove(loop);
        if (entry != null) {
            weight -= entry.weight;
        }
    }

    /** How many loops are at hand. */
    public int size() {
        return entries.size();
    }

    /** What they weigh together. */
    public long weight() {
        return weight;
    }
}
