/** Decisions as they were logged, with their rewards: one by one and as examples in memory. */
@NullMarked
package io.counterflow.core.log;

import org.jspecify.annotations.NullMarked;
