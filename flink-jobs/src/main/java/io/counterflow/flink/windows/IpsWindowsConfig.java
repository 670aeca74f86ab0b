package io.counterflow.flink.windows;

import java.io.Serializable;

/**
 * What the operator of windows may use. Only the windows themselves change what comes out.
 *
 * @param windows which windows
 * @param cacheBytes heap for open panes, per subtask, about; more of them wait in the state backend
 * @param meteredLoops how many loops have gauges, per subtask: those that end a window first.
 *     Others are on the topic only
 */
public record IpsWindowsConfig(WindowConfig windows, long cacheBytes, int meteredLoops)
        implements Serializable {

    /** The default windows, 64 MiB of panes, gauges for a hundred loops. */
    public static IpsWindowsConfig defaults() {
        return new IpsWindowsConfig(WindowConfig.defaults(), 64L << 20, 100);
    }
}
