/** Keyed state that is kept at hand on the heap between checkpoints. */
@NullMarked
package io.counterflow.flink.state;

import org.jspecify.annotations.NullMarked;
