package io.counterflow.flink.loop;

import io.counterflow.core.loop.LoopLimits;
import java.io.Serializable;
import java.time.Duration;

/**
 * Limits of the loop operator. The first four do not change what a loop learns. A replay needs the
 * same values of the others as the live job.
 *
 * @param cacheBytes heap for loops in memory, per subtask; at least one loop is in memory
 * @param blockCacheBytes heap for blocks of example buffers, per subtask
 * @param specWait how long events of a loop without a spec wait for it, in processing time
 * @param specWaitBytes limit on these events, per subtask; further ones are refused
 * @param bufferBytes maximum memory of the example buffer of a loop; older examples are dropped
 * @param keptVersions how many of the newest versions of a loop can be promoted or rolled back to
 * @param maxLoopBytes maximum heap of a loop without its buffer; a spec that needs more is refused
 */
public record LoopOperatorConfig(
        long cacheBytes,
        long blockCacheBytes,
        Duration specWait,
        long specWaitBytes,
        long bufferBytes,
        int keptVersions,
        long maxLoopBytes)
        implements Serializable {

    /**
     * 256 MiB of loops, 128 MiB of their examples, a minute and 256 MiB of events without a spec,
     * 128 MiB of buffer for a loop, ten versions, 512 MiB for the largest loop.
     */
    public static LoopOperatorConfig defaults() {
        return new LoopOperatorConfig(
                256L << 20,
                128L << 20,
                Duration.ofMinutes(1),
                256L << 20,
                128L << 20,
                10,
                512L << 20);
    }

    /** The limits of each loop. */
    public LoopLimits limits() {
        return new LoopLimits(bufferBytes, keptVersions);
    }
}
