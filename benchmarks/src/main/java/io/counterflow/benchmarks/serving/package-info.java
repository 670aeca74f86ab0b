/**
 * Benchmarks of serving under load, compared with servers that do less and with earlier versions.
 */
@NullMarked
package io.counterflow.benchmarks.serving;

import org.jspecify.annotations.NullMarked;
