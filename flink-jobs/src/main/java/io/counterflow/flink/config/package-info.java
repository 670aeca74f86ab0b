/** The configuration of the job. */
@NullMarked
package io.counterflow.flink.config;

import org.jspecify.annotations.NullMarked;
