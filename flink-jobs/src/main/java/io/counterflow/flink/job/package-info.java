/** The job: what it reads, how its operators are put together, and how Flink runs it. */
@NullMarked
package io.counterflow.flink.job;

import org.jspecify.annotations.NullMarked;
