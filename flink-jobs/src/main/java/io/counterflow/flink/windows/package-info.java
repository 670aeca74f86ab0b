/** Sliding windows of event time: estimates, weights, counts and audits of logged examples. */
@NullMarked
package io.counterflow.flink.windows;

import org.jspecify.annotations.NullMarked;
