package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * The limits of every loop of a job. They affect what is learned: to get the same result, a replay
 * needs the same limits.
 *
 * @param bufferBytes maximum size of the example buffer of a loop in memory, in bytes; the oldest
 *     examples are removed first, but never one of the last mini-batch
 * @param keptVersions number of newest versions that can be promoted or restored
 */
public record LoopLimits(long bufferBytes, int keptVersions) {

    public LoopLimits {
        Require.atLeast(1, bufferBytes, "bufferBytes");
        Require.atLeast(1, keptVersions, "keptVersions");
    }
}
