/** From impressions and what came of them to logged examples. */
@NullMarked
package io.counterflow.flink.join;

import org.jspecify.annotations.NullMarked;
