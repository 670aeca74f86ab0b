/** What leaves the job, and how. */
@NullMarked
package io.counterflow.flink.sinks;

import org.jspecify.annotations.NullMarked;
