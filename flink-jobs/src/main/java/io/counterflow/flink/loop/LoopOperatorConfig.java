package io.counterflow.flink.loop;

import io.counterflow.core.loop.LoopLimits;
import java.io.Serializable;

/**
 * Limits of the loop operator. The first two limit memory and do not change results. A batch run
 * needs the same values of the others as the live job.
 *
 * @param cacheBytes heap for loops in memory, per subtask; at least one loop is in memory
 * @param pendingBytes heap for events that wait for the watermark, per subtask; further events wait
 *     in the state backend
 * @param bufferBytes maximum memory of the example buffer of a loop; older examples are dropped
 * @param keptVersions how many of the newest versions of a loop can be promoted or rolled back to
 * @param maxLoopBytes maximum heap of a loop without its buffer; a spec that needs more is refused
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

    /** The limits of each loop. */
    public LoopLimits limits() {
        return new LoopLimits(bufferBytes, keptVersions);
    }
}
