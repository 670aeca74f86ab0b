/** Benchmarks of the streaming job with a real broker and a real cluster. */
@NullMarked
package io.counterflow.benchmarks.streaming;

import org.jspecify.annotations.NullMarked;
