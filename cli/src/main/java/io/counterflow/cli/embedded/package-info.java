/** A Kafka broker and a Flink cluster in this process. */
@NullMarked
package io.counterflow.cli.embedded;

import org.jspecify.annotations.NullMarked;
