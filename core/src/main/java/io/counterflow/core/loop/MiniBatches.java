package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * How examples of a stream become steps.
 *
 * @param size fresh examples per step. Higher: steadier steps, and fewer of them
 * @param replay further steps on examples drawn from the buffer after each fresh step: the paper
 *     trains for hundreds of epochs, a stream sees each example once
 * @param bufferCapacity most recent examples of a generation that are kept for replay and for
 *     certificates; at least {@code size}
 * @param seed of the draws from the buffer
 * @param bufferBytes most bytes of features in the buffer; the oldest give way beyond it, but never
 *     one of the last {@code size}
 */
public record MiniBatches(int size, int replay, int bufferCapacity, long seed, long bufferBytes) {

    /** Without a limit on bytes. */
    public MiniBatches(int size, int replay, int bufferCapacity, long seed) {
        this(size, replay, bufferCapacity, seed, Long.MAX_VALUE);
    }

    public MiniBatches {
        Require.atLeast(1, size, "size");
        Require.atLeast(0, replay, "replay");
        Require.atLeast(1, bufferBytes, "bufferBytes");
        if (bufferCapacity < size) { // the mini-batch that is being filled lies in the buffer
            throw new IllegalArgumentException(
                    "bufferCapacity must be at least the mini-batch's size %d, got %d"
                            .formatted(size, bufferCapacity));
        }
    }
}
