/** Commands of a deployment: job, replay and serve connect to Kafka, rollout to serving. */
@NullMarked
package io.counterflow.cli.streaming;

import org.jspecify.annotations.NullMarked;
