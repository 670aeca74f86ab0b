package io.counterflow.core.loop;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * The state of the example buffer of a loop, without the examples of stored blocks.
 *
 * @param blocks the stored blocks, oldest first, one directly after the other
 * @param open the examples after the last block, oldest first
 */
public record BufferState(List<Block> blocks, List<LoggedExample> open) {

    /**
     * A stored block.
     *
     * @param first number of its first example, over all generations
     * @param size number of its examples
     * @param bytes their memory, approximately
     */
    public record Block(long first, int size, long bytes) {

        public Block {
            Require.atLeast(0, first, "first");
            Require.atLeast(1, size, "size");
            Require.atLeast(0, bytes, "bytes");
        }

        /** The number of the first example after the block. */
        public long end() {
            return first + size;
        }
    }

    public BufferState {
        blocks = List.copyOf(blocks);
        open = List.copyOf(open);
    }

    static BufferState empty() {
        return new BufferState(List.of(), List.of());
    }

    /** Number of examples, including those of stored blocks. */
    public long size() {
        return open.size() + blocks.stream().mapToLong(Block::size).sum();
    }

    /** Contains sizes only: features are user data and must not be logged. */
    @Override
    public String toString() {
        return "BufferState[%d blocks, %d open]".formatted(blocks.size(), open.size());
    }
}
