/** Joins impressions with their rewards to logged examples. */
@NullMarked
package io.counterflow.flink.join;

import org.jspecify.annotations.NullMarked;
