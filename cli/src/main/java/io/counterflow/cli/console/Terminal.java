package io.counterflow.cli.console;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * The environment of a command.
 *
 * @param out standard output, for results only
 * @param err standard error, for messages, logs and progress
 * @param liveProgress whether {@code err} is a terminal on which lines can be redrawn
 * @param debug whether to print the stack traces of all failures
 * @param nanoTime a monotonic clock
 */
public record Terminal(
        PrintWriter out,
        PrintWriter err,
        boolean liveProgress,
        boolean debug,
        LongSupplier nanoTime) {}
