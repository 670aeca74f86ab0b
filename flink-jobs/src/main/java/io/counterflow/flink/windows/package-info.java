/** Estimates over windows of event time. */
@NullMarked
package io.counterflow.flink.windows;

import org.jspecify.annotations.NullMarked;
