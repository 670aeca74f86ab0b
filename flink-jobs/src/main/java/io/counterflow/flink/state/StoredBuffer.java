package io.counterflow.flink.state;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.LoopLearner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The example buffer of a loop in keyed state. Examples are written once, in chunks: when a chunk
 * is full, and at checkpoints. A chunk is removed when the learner has dropped all its examples. So
 * a checkpoint does not write the buffer, and the state backend sees few writes. The key of the
 * loop must be current.
 */
public final class StoredBuffer {

    /** Maximum number of examples in a chunk. */
    private static final int CHUNK = 64;

    private final StoredChunks chunks;
    private final ArrayDeque<Integer> sizes = new ArrayDeque<>(); // of stored chunks, oldest first
    private final List<LoggedExample> unwritten = new ArrayList<>();
    private long firstStored; // number of the first example of the oldest chunk
    private long firstUnwritten;

    private StoredBuffer(StoredChunks chunks, long first) {
        this.chunks = chunks;
        this.firstStored = first;
        this.firstUnwritten = first;
    }

    /** The buffer of a loop without examples. */
    public static StoredBuffer empty(StoredChunks chunks) {
        return new StoredBuffer(chunks, 0);
    }

    /**
     * Reads the buffer of a stored learner.
     *
     * @param received number of examples that the learner has received
     * @param buffered how many of them are in its buffer
     * @param examples the examples are added here, oldest first
     */
    public static StoredBuffer restore(
            StoredChunks chunks, long received, int buffered, List<LoggedExample> examples)
            throws Exception {
        long first = received - buffered;
        if (buffered == 0) {
            return new StoredBuffer(chunks, received);
        }
        long start = first;
        @Nullable List<LoggedExample> chunk = chunks.get(start);
        while (chunk == null && start > Math.max(0, first - CHUNK)) {
            start--; // the learner has dropped some examples of the oldest chunk
            chunk = chunks.get(start);
        }
        StoredBuffer buffer = new StoredBuffer(chunks, start);
        while (chunk != null && !chunk.isEmpty()) {
            int dropped = (int) Math.max(0, first - buffer.firstUnwritten);
            examples.addAll(chunk.subList(Math.min(dropped, chunk.size()), chunk.size()));
            buffer.sizes.add(chunk.size());
            buffer.firstUnwritten += chunk.size();
            chunk = buffer.firstUnwritten < received ? chunks.get(buffer.firstUnwritten) : null;
        }
        if (examples.size() != buffered || buffer.firstUnwritten != received) {
            throw new IllegalStateException(
                    "the buffer must have examples %d to %d, got %d until %d"
                            .formatted(first, received, examples.size(), buffer.firstUnwritten));
        }
        return buffer;
    }

    /** Adds the example that the learner has just added. */
    public void add(LoggedExample example, LoopLearner learner) throws Exception {
        unwritten.add(example);
        if (unwritten.size() == CHUNK) {
            write(learner);
        } else {
            follow(learner);
        }
    }

    /** Writes the examples that are not in state yet. Called before the loop is stored. */
    public void write(LoopLearner learner) throws Exception {
        if (!unwritten.isEmpty()) {
            chunks.put(firstUnwritten, unwritten);
            sizes.add(unwritten.size());
            firstUnwritten += unwritten.size();
            unwritten.clear();
        }
        follow(learner);
    }

    /** Removes the chunks whose examples the learner has dropped. */
    public void follow(LoopLearner learner) throws Exception {
        long kept = learner.received() - learner.buffered();
        while (!sizes.isEmpty() && firstStored + sizes.element() <= kept) {
            chunks.remove(firstStored);
            firstStored += sizes.remove();
        }
    }
}
