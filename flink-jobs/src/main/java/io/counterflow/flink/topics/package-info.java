/** Where records lie in Kafka, and how it is reached. */
@NullMarked
package io.counterflow.flink.topics;

import org.jspecify.annotations.NullMarked;
