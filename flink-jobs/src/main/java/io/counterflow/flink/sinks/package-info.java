/** How the job writes its results to Kafka. */
@NullMarked
package io.counterflow.flink.sinks;

import org.jspecify.annotations.NullMarked;
