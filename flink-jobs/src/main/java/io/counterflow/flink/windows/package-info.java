/** Sliding windows of event time over what was logged: estimates, weights, counts, audits. */
@NullMarked
package io.counterflow.flink.windows;

import org.jspecify.annotations.NullMarked;
