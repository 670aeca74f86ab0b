package io.counterflow.flink.loop;

import io.counterflow.core.loop.LoopLimits;
import java.io.Serializable;

/**
 * What the operator of all loops may use. The first two bound memory and never change a result; the
 * others are part of what is learned, so a replay needs them as they were.
 *
 * @param cacheBytes heap for the loops that are at hand, per subtask; at least one loop is
 * @param pendingBytes heap for events that wait for the watermark, per subtask; more of them wait
 *     in the state backend
 * @param bufferBytes most bytes of a loop's example buffer, as examples lie in memory; older ones
 *     give way beyond it
 * @param keptVersions how many of a loop's newest versions can still be promoted or returned to
 * @param maxLoopBytes most heap that a loop may take beside its buffer; a spec that asks for more
 *     is refused, because it would take the job and all other loops along
 */
public record LoopOperatorConfig(
        long cacheBytes, long pendingBytes, long bufferBytes, int keptVersions, long maxLoopBytes)
        implements Serializable {

    /**
     * 256 MiB of loops, 64 MiB of waiting events, 128 MiB of buffer for a loop, ten versions, 512
     * MiB for the largest loop.
     */
    public static LoopOperatorConfig defaults() {
        return new LoopOperatorConfig(256L << 20, 64L << 20, 128L << 20, 10, 512L << 20);
    }

    /** What every loop may use. */
    public LoopLimits limits() {
        return new LoopLimits(bufferBytes, keptVersions);
    }
}
