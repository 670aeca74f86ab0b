package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.BufferState.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The most recent examples of a loop, limited in number and bytes.
 *
 * <p>New examples are in memory, in the <em>open</em> block. When it is large enough, it is given
 * to the storage as a whole, and read again when a step needs it. The oldest block is removed if
 * the buffer is too large. So a loop that is not in use costs no memory for its buffer, and each
 * example is written about once.
 *
 * <p>Examples are numbered in the order in which the loop received them.
 */
final class ExampleBuffer {

    /** Blocks of at least this size can be stored efficiently, if mini-batches are smaller. */
    private static final int USUAL_BLOCK = 64;

    /** A small buffer still has this many blocks, so that removing one changes it little. */
    private static final int MIN_BLOCKS = 8;

    private final LoopStorage storage;
    private final int capacity;
    private final long maxBytes;
    private final int blockSize;
    private final List<Block> blocks; // oldest first
    private ExampleLog open = new ExampleLog();
    private long firstOpen;
    private long openBytes;
    private long size;
    private long bytes;
    private long blockChanges;

    /**
     * @param batchSize size of mini-batches; a block has at least one
     * @param received number of examples that the loop has received
     */
    ExampleBuffer(
            LoopStorage storage,
            int capacity,
            long maxBytes,
            int batchSize,
            BufferState state,
            long received) {
        this.storage = storage;
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        this.blockSize = Math.max(batchSize, Math.min(USUAL_BLOCK, capacity / MIN_BLOCKS));
        this.blocks = new ArrayList<>(state.blocks());
        this.firstOpen = received - state.open().size();
        this.size = state.size() - state.open().size();
        this.bytes = blocks.stream().mapToLong(Block::bytes).sum();
        state.open().forEach(this::add);
    }

    /** Adds an example to the open block. */
    void add(LoggedExample example) {
        open.add(example);
        long added = open.bytes(open.size() - 1);
        openBytes += added;
        bytes += added;
        size++;
        // Here and nowhere else, so that a restart at any time makes no difference.
        while (!blocks.isEmpty() && (size > capacity || bytes > maxBytes)) {
            removeOldest();
        }
    }

    private void removeOldest() {
        Block oldest = blocks.remove(0);
        blockChanges++;
        storage.forgetBlock(oldest.first());
        size -= oldest.size();
        bytes -= oldest.bytes();
    }

    /** The open block; its last examples are those of the current mini-batch. */
    ExampleLog open() {
        return open;
    }

    /** Approximate memory of the open block in bytes. */
    long openBytes() {
        return openBytes;
    }

    /** Stores the open block if it is large enough. Called between two mini-batches. */
    void closeBlock() {
        if (open.size() < blockSize) {
            return;
        }
        Block closed = new Block(firstOpen, open.size(), openBytes);
        storage.keepBlock(firstOpen, open);
        blocks.add(closed);
        blockChanges++;
        firstOpen = closed.end();
        open = new ExampleLog();
        openBytes = 0;
    }

    /** Number of examples. */
    long size() {
        return size;
    }

    /** A part of a block: the examples from an offset on. */
    record Place(ExampleLog block, int offset) {}

    /**
     * The place of an example.
     *
     * @param age from 0, the oldest example
     */
    Place place(long age) {
        long number = firstOpen + open.size() - size + age;
        if (number >= firstOpen) {
            return new Place(open, (int) (number - firstOpen));
        }
        int from = 0;
        int to = blocks.size() - 1;
        while (from < to) { // the last block that starts at or before the number
            int middle = (from + to + 1) >>> 1;
            if (blocks.get(middle).first() <= number) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        Block block = blocks.get(from);
        return new Place(storage.block(block.first()), (int) (number - block.first()));
    }

    /** Removes all but the newest examples, which must be in the open block. */
    void keepNewest(int count) {
        while (!blocks.isEmpty()) {
            removeOldest();
        }
        ExampleLog all = open;
        firstOpen += all.size() - count;
        open = new ExampleLog();
        openBytes = 0;
        size = 0;
        bytes = 0;
        for (int i = all.size() - count; i < all.size(); i++) {
            add(all.example(i));
        }
    }

    /** All examples as one log, oldest first. */
    ExampleLog all() {
        ExampleLog all = new ExampleLog();
        forEach(0, (block, i) -> all.add(block, i));
        return all;
    }

    /**
     * The examples of one policy version, oldest first.
     *
     * @param from the number of the first example that is considered
     */
    ExampleLog loggedBy(long policyVersion, long from) {
        ExampleLog selected = new ExampleLog();
        forEach(
                from,
                (block, i) -> {
                    if (block.policyVersion(i) == policyVersion) {
                        selected.add(block, i);
                    }
                });
        return selected;
    }

    private void forEach(long from, BiConsumer<ExampleLog, Integer> action) {
        for (Block block : blocks) {
            if (block.end() > from) {
                forEach(storage.block(block.first()), from - block.first(), action);
            }
        }
        forEach(open, from - firstOpen, action);
    }

    private static void forEach(
            ExampleLog block, long from, BiConsumer<ExampleLog, Integer> action) {
        for (int i = (int) Math.max(0, from); i < block.size(); i++) {
            action.accept(block, i);
        }
    }

    /** The stored blocks, oldest first; a view. */
    List<Block> blocks() {
        return blocks;
    }

    /** How often the list of stored blocks has changed since this buffer was created. */
    long blockChanges() {
        return blockChanges;
    }

    /** The state to store. */
    BufferState state() {
        List<LoggedExample> examples = new ArrayList<>(open.size());
        for (int i = 0; i < open.size(); i++) {
            examples.add(open.example(i));
        }
        return new BufferState(blocks, examples);
    }
}
