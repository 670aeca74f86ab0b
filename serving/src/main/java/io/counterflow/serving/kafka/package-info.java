/** What serving writes to Kafka, and when Kafka has it. */
@NullMarked
package io.counterflow.serving.kafka;

import org.jspecify.annotations.NullMarked;
