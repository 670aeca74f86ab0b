package io.counterflow.flink.windows;

import java.io.Serializable;

/**
 * Settings of the windowed estimates. Only the windows change results.
 *
 * @param meteredLoops maximum number of loops with gauges, per subtask; the first loops get them
 */
public record IpsWindowsConfig(WindowConfig windows, int meteredLoops) implements Serializable {}
