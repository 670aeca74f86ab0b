/** Simulated decision problems with a known truth, and learners that compete in them. */
@NullMarked
package io.counterflow.experiments.worlds;

import org.jspecify.annotations.NullMarked;
