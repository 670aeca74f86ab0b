/** Commands that connect to Kafka: job, replay and serve. */
@NullMarked
package io.counterflow.cli.streaming;

import org.jspecify.annotations.NullMarked;
