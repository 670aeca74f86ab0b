/** Benchmarks of the streaming job on a real broker and a real cluster in this process. */
@NullMarked
package io.counterflow.benchmarks.streaming;

import org.jspecify.annotations.NullMarked;
