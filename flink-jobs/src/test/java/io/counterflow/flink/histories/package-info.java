/**
 * Simulated histories of the job, in virtual time and from a seed, compared with a plain model of
 * what should come out.
 */
@NullMarked
package io.counterflow.flink.histories;

import org.jspecify.annotations.NullMarked;
