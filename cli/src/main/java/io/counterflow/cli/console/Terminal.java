package io.counterflow.cli.console;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * What the command knows of the process around it.
 *
 * @param out where results go, and nothing else
 * @param err where messages, logs and progress go
 * @param liveProgress whether {@code err} is a terminal on which a line can be drawn over
 * @param debug whether failures come with their stack trace without being asked for
 * @param nanoTime a clock that never goes back
 */
public record Terminal(
        PrintWriter out,
        PrintWriter err,
        boolean liveProgress,
        boolean debug,
        LongSupplier nanoTime) {}
