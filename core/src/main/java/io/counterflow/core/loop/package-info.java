/** One loop that learns from a stream of examples: mini-batches, buffer, candidates and state. */
@NullMarked
package io.counterflow.core.loop;

import org.jspecify.annotations.NullMarked;
