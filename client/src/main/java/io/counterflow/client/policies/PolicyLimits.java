package io.counterflow.client.policies;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopSpec;

/**
 * Limits on the heap for policies. Specs and snapshots declare the size of their models in a few
 * bytes, so sizes are checked before anything is allocated.
 *
 * @param loopBytes limit on the parameters of one version of a loop: four bytes per parameter
 * @param allBytes limit on the parameters of all versions of all loops that are in memory, and on
 *     their descriptions
 */
public record PolicyLimits(long loopBytes, long allBytes) {

    private static final long DEFAULT_LOOP_BYTES = 32L << 20;

    public PolicyLimits {
        Require.atLeast(1, loopBytes, "loopBytes");
        Require.atLeast(1, allBytes, "allBytes");
    }

    /** The default limits of a server: 32 MiB for a version, half of the heap for all loops. */
    public static PolicyLimits ofHeap() {
        return new PolicyLimits(DEFAULT_LOOP_BYTES, Runtime.getRuntime().maxMemory() / 2);
    }

    /** Limit on the parameters of one version. */
    public long maxParameters() {
        return loopBytes / Float.BYTES;
    }

    /** Refuses a loop whose versions are too large. */
    public void require(LoopSpec spec) {
        requireVersion(spec.shape().parameterCount());
    }

    /** Refuses a version with too many parameters. */
    void requireVersion(long parameters) {
        long bytes = parameters * Float.BYTES;
        Require.that(
                bytes <= loopBytes,
                "the parameters of a version must take at most %d bytes (serving.max-loop-size),"
                        + " got %d",
                loopBytes,
                bytes);
    }
}
