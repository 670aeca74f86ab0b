/** What happens to a loop, in order: its examples, its specs, what people ask of it. */
@NullMarked
package io.counterflow.flink.loop;

import org.jspecify.annotations.NullMarked;
