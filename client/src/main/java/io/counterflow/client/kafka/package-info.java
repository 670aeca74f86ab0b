/** Writes records to Kafka. */
@NullMarked
package io.counterflow.client.kafka;

import org.jspecify.annotations.NullMarked;
