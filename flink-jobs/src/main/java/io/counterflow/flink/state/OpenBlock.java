package io.counterflow.flink.state;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open block of the example buffer of a loop in keyed state. Each time the loop is written, the
 * examples that it has received since then are added as one chunk. The key of the loop must be
 * current.
 */
final class OpenBlock {

    private final StoredBlocks chunks;
    private final ArrayDeque<Long> stored = new ArrayDeque<>(); // first examples of stored chunks
    private long end; // number of the first example that is not stored

    OpenBlock(StoredBlocks chunks) {
        this.chunks = chunks;
    }

    /**
     * Reads the examples.
     *
     * @param first number of the first one
     * @param end number of the first example after the last one
     */
    List<LoggedExample> read(long first, long end) throws Exception {
        List<LoggedExample> examples = new ArrayList<>();
        this.end = first;
        while (this.end < end) {
            @Nullable ExampleLog chunk = chunks.get(this.end);
            if (chunk == null || chunk.size() == 0) {
                throw new IllegalStateException(
                        "the buffer must have examples until %d, got %d".formatted(end, this.end));
            }
            stored.add(this.end);
            for (int i = 0; i < chunk.size(); i++) {
                examples.add(chunk.example(i));
            }
            this.end += chunk.size();
        }
        return examples;
    }

    /** Writes the examples that are not in state yet, and removes those that are not open. */
    void write(ExampleLog open, long received) throws Exception {
        long first = received - open.size();
        if (!stored.isEmpty() && stored.element() != first) {
            for (long chunk : stored) {
                chunks.remove(chunk);
            }
            stored.clear();
        }
        long from = stored.isEmpty() ? first : end;
        if (from < received) {
            chunks.put(from, open, (int) (from - first));
            stored.add(from);
        }
        end = received;
    }
}
