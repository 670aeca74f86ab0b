/** Keyed state of loops, cached on the heap between checkpoints. */
@NullMarked
package io.counterflow.flink.state;

import org.jspecify.annotations.NullMarked;
