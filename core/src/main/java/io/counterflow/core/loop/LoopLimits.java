package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * What a job allows every loop. Both are part of what is learned: a replay needs them as they were.
 *
 * @param bufferBytes most bytes of a loop's example buffer, as examples lie in memory; the oldest
 *     give way beyond it, but never one of the last mini-batch
 * @param keptVersions how many of the newest versions can still be promoted or returned to
 */
public record LoopLimits(long bufferBytes, int keptVersions) {

    public LoopLimits {
        Require.atLeast(1, bufferBytes, "bufferBytes");
        Require.atLeast(1, keptVersions, "keptVersions");
    }
}
