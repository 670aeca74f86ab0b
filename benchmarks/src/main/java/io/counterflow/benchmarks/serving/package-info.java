/** Serving under load from a second process, beside the same server with a constant answer. */
@NullMarked
package io.counterflow.benchmarks.serving;

import org.jspecify.annotations.NullMarked;
