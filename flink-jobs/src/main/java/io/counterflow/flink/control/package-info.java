/** From the topics of specs, commands and examples to what happens to a loop. */
@NullMarked
package io.counterflow.flink.control;

import org.jspecify.annotations.NullMarked;
