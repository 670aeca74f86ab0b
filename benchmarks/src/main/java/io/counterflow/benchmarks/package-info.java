/** Benchmarks. Their results are ratios within one run. */
@NullMarked
package io.counterflow.benchmarks;

import org.jspecify.annotations.NullMarked;
