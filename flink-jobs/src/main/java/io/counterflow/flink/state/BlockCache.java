package io.counterflow.flink.state;

import io.counterflow.core.log.ExampleLog;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The most recently used blocks of examples of all loops of a subtask. */
public final class BlockCache {

    private record Key(String loop, long first) {}

    private record Cached(ExampleLog block, long bytes) {}

    private final long maxBytes;
    private final Map<Key, Cached> blocks =
            new LinkedHashMap<>(16, 0.75f, true); // least recently used first
    private long bytes;
    private long reads;

    /**
     * @param maxBytes maximum memory of the blocks, approximately
     */
    public BlockCache(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    Optional<ExampleLog> get(String loop, long first) {
        return Optional.ofNullable(blocks.get(new Key(loop, first))).map(Cached::block);
    }

    /** Adds a block that was read from state. */
    void putRead(String loop, long first, ExampleLog block) {
        reads++;
        put(loop, first, block);
    }

    void put(String loop, long first, ExampleLog block) {
        remove(loop, first);
        Cached added = new Cached(block, block.bytes());
        blocks.put(new Key(loop, first), added);
        bytes += added.bytes();
        Iterator<Cached> eldest = blocks.values().iterator();
        while (bytes > maxBytes) {
            bytes -= eldest.next().bytes();
            eldest.remove();
        }
    }

    void remove(String loop, long first) {
        @Nullable Cached removed = blocks.remove(new Key(loop, first));
        if (removed != null) {
            bytes -= removed.bytes();
        }
    }

    /** Removes all blocks of a loop. Another loop may get its name. */
    public void removeAll(String loop) {
        Iterator<Map.Entry<Key, Cached>> entries = blocks.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<Key, Cached> entry = entries.next();
            if (entry.getKey().loop().equals(loop)) {
                bytes -= entry.getValue().bytes();
                entries.remove();
            }
        }
    }

    /** Number of blocks that were not in memory and were read. */
    public long reads() {
        return reads;
    }

    /** Approximate memory of the blocks, in bytes. */
    public long bytes() {
        return bytes;
    }
}
