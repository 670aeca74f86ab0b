/** One loop that learns from its examples as they come: mini-batches, buffer, candidates, state. */
@NullMarked
package io.counterflow.core.loop;

import org.jspecify.annotations.NullMarked;
