/** Processes of a benchmark, and their CPU time. */
@NullMarked
package io.counterflow.benchmarks.process;

import org.jspecify.annotations.NullMarked;
