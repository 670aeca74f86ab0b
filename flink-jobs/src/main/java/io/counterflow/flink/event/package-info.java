/** Events of a loop: their order, how they are read, and why one is refused. */
@NullMarked
package io.counterflow.flink.event;

import org.jspecify.annotations.NullMarked;
