/** The cost of one example in the loop operator, without a cluster around it. */
@NullMarked
package io.counterflow.benchmarks.loop;

import org.jspecify.annotations.NullMarked;
