/** What a deployment needs over time. */
@NullMarked
package io.counterflow.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
