/**
 * Benchmarks of serving under load from a second process, compared with the same server with a
 * constant response.
 */
@NullMarked
package io.counterflow.benchmarks.serving;

import org.jspecify.annotations.NullMarked;
