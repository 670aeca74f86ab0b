package io.counterflow.flink.windows;

import java.io.Serializable;

/**
 * Settings of the windowed estimates. Only the windows change results.
 *
 * @param cacheBytes approximate heap for open panes, per subtask; other panes stay in the state
 *     backend
 * @param meteredLoops maximum number of loops with gauges, per subtask; the first loops get them
 */
public record IpsWindowsConfig(WindowConfig windows, long cacheBytes, int meteredLoops)
        implements Serializable {}
