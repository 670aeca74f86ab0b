/** The operator that processes the events of loops in order: examples, specs and commands. */
@NullMarked
package io.counterflow.flink.loop;

import org.jspecify.annotations.NullMarked;
