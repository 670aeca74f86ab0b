/** The streaming job: operators that carry state, timers and wiring around core. */
@NullMarked
package io.counterflow.flink;

import org.jspecify.annotations.NullMarked;
