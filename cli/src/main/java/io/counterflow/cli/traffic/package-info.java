/** Simulated users of a loop, and the worlds that decide what they do. */
@NullMarked
package io.counterflow.cli.traffic;

import org.jspecify.annotations.NullMarked;
